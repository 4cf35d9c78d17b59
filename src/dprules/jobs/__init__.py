"""One function for each thing a user does: every face calls these, so that a check or an option exists once.

A job is loaded when it is first used: `dprules show` should not wait for a table engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dprules.jobs.answers import Answers
    from dprules.jobs.auditing import AuditReport, audit
    from dprules.jobs.charging import LedgerLike, require_ledger
    from dprules.jobs.checking import SchemaReport, check_schema
    from dprules.jobs.drafting import draft_schema
    from dprules.jobs.end_to_end import EndToEndReport, audit_end_to_end
    from dprules.jobs.evaluation import Evaluation, evaluate
    from dprules.jobs.exporting import export
    from dprules.jobs.figures import Figure
    from dprules.jobs.fitting import FitRequest, FitSummary, Spending, check_fit, fit
    from dprules.jobs.infer import collect_lazy, infer_label, infer_schema, read_names, require_numbers
    from dprules.jobs.labels import (
        as_labels,
        find_label_type,
        kind_of_labels,
        list_label_texts,
        require_readable,
        show_classes,
    )
    from dprules.jobs.ledgers import (
        choose_budget,
        ledger_export,
        ledger_grant,
        ledger_init,
        ledger_show,
        ledger_verify,
        settle,
    )
    from dprules.jobs.online import PlainLearner, StreamLearner, read_label_codes
    from dprules.jobs.online_cells import hash_name
    from dprules.jobs.online_columns import choose_columns
    from dprules.jobs.online_features import OnlineRequest
    from dprules.jobs.online_hashed import HASHED, HashedRequest, hash_columns
    from dprules.jobs.planning import ListPlan, StreamPlan, Typical, plan_list, plan_stream
    from dprules.jobs.prediction import (
        PredictedRows,
        list_likely,
        predict,
        predict_beside,
        predict_places,
        predict_probabilities,
        predict_scores,
    )
    from dprules.jobs.serving import Limits, make_app, serve, stream_serve
    from dprules.jobs.settings import (
        LARGEST_RATIO,
        ListSettings,
        ScorecardSettings,
        Settings,
        choose_settings,
    )
    from dprules.jobs.streams import (
        Stream,
        StreamSettings,
        stream_extend,
        stream_init,
        stream_learn,
        stream_predict,
        stream_recommend,
        stream_show,
    )
    from dprules.jobs.verification import verify
    from dprules.jobs.without_privacy import fit_without_privacy, fit_yardstick

__all__ = [
    "HASHED",
    "LARGEST_RATIO",
    "Answers",
    "AuditReport",
    "EndToEndReport",
    "Evaluation",
    "Figure",
    "FitRequest",
    "FitSummary",
    "HashedRequest",
    "LedgerLike",
    "Limits",
    "ListPlan",
    "ListSettings",
    "OnlineRequest",
    "PlainLearner",
    "PredictedRows",
    "SchemaReport",
    "ScorecardSettings",
    "Settings",
    "Spending",
    "Stream",
    "StreamLearner",
    "StreamPlan",
    "StreamSettings",
    "Typical",
    "as_labels",
    "audit",
    "audit_end_to_end",
    "check_fit",
    "check_schema",
    "choose_budget",
    "choose_columns",
    "choose_settings",
    "collect_lazy",
    "draft_schema",
    "evaluate",
    "export",
    "find_label_type",
    "fit",
    "fit_without_privacy",
    "fit_yardstick",
    "hash_columns",
    "hash_name",
    "infer_label",
    "infer_schema",
    "kind_of_labels",
    "ledger_export",
    "ledger_grant",
    "ledger_init",
    "ledger_show",
    "ledger_verify",
    "list_label_texts",
    "list_likely",
    "make_app",
    "plan_list",
    "plan_stream",
    "predict",
    "predict_beside",
    "predict_places",
    "predict_probabilities",
    "predict_scores",
    "read_label_codes",
    "read_names",
    "require_ledger",
    "require_numbers",
    "require_readable",
    "serve",
    "settle",
    "show_classes",
    "stream_extend",
    "stream_init",
    "stream_learn",
    "stream_predict",
    "stream_recommend",
    "stream_serve",
    "stream_show",
    "verify",
]

_PLACES = {
    "auditing": ("AuditReport", "audit"),
    "checking": ("SchemaReport", "check_schema"),
    "drafting": ("draft_schema",),
    "end_to_end": ("EndToEndReport", "audit_end_to_end"),
    "charging": ("LedgerLike", "require_ledger"),
    "evaluation": ("Evaluation", "evaluate"),
    "exporting": ("export",),
    "figures": ("Figure",),
    "fitting": ("FitRequest", "FitSummary", "Spending", "check_fit", "fit"),
    "infer": ("collect_lazy", "infer_label", "infer_schema", "read_names", "require_numbers"),
    "labels": (
        "as_labels",
        "find_label_type",
        "kind_of_labels",
        "list_label_texts",
        "require_readable",
        "show_classes",
    ),
    "answers": ("Answers",),
    "ledgers": (
        "choose_budget",
        "ledger_export",
        "ledger_grant",
        "ledger_init",
        "ledger_show",
        "ledger_verify",
        "settle",
    ),
    "online": ("PlainLearner", "StreamLearner", "read_label_codes"),
    "online_cells": ("hash_name",),
    "online_columns": ("choose_columns",),
    "online_features": ("OnlineRequest",),
    "online_hashed": ("HASHED", "HashedRequest", "hash_columns"),
    "planning": ("ListPlan", "StreamPlan", "Typical", "plan_list", "plan_stream"),
    "prediction": (
        "PredictedRows",
        "list_likely",
        "predict",
        "predict_beside",
        "predict_places",
        "predict_probabilities",
        "predict_scores",
    ),
    "serving": ("Limits", "make_app", "serve", "stream_serve"),
    "settings": (
        "LARGEST_RATIO",
        "ListSettings",
        "ScorecardSettings",
        "Settings",
        "choose_settings",
    ),
    "streams": (
        "Stream",
        "StreamSettings",
        "stream_extend",
        "stream_init",
        "stream_learn",
        "stream_predict",
        "stream_recommend",
        "stream_show",
    ),
    "verification": ("verify",),
    "without_privacy": ("fit_without_privacy", "fit_yardstick"),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'dprules.jobs' has no attribute {name!r}")
    return getattr(import_module(f"dprules.jobs.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
