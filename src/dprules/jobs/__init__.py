"""One function for each thing a user does: every face calls these, so that a check or an option exists once.

Rooms are loaded when one of their names is first used: `dprules show` should not wait for a table engine.
"""

from importlib import import_module

_PLACES = {
    "AuditReport": "auditing",
    "Evaluation": "evaluation",
    "FitRequest": "fitting",
    "FitSummary": "fitting",
    "ListSettings": "settings",
    "OnlineRequest": "online",
    "PlainLearner": "online",
    "StreamLearner": "online",
    "StreamSettings": "settings",
    "as_labels": "labels",
    "audit": "auditing",
    "check_fit": "fitting",
    "draft_schema": "drafting",
    "evaluate": "evaluation",
    "export": "exporting",
    "fit": "fitting",
    "fit_without_privacy": "fitting",
    "hash_name": "online",
    "infer_label": "infer",
    "infer_schema": "infer",
    "plan_list": "planning",
    "plan_stream": "planning",
    "predict": "prediction",
    "predict_places": "prediction",
    "read_signs": "online",
    "read_table_columns": "prediction",
    "require_readable": "labels",
    "stream_init": "streams",
    "stream_learn": "streams",
    "stream_predict": "streams",
    "Stream": "streams",
    "stream_show": "streams",
    "verify": "verification",
}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'dprules.jobs' has no attribute {name!r}")
    return getattr(import_module(f"dprules.jobs.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
