"""Every kind of model has its view."""

import pytest
from jinja2 import PackageLoader

from dprules.models.released import _KINDS
from dprules.report.views import _VIEWS, view_of
from models.test_model import MODELS


def test_every_kind_that_files_hold_has_a_view():
    assert set(_VIEWS) == set(_KINDS)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_view_has_a_template(model):
    assert view_of(model).template in PackageLoader("dprules.report").list_templates()
