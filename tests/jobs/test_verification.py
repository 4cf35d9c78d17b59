import json

import pytest

from dprules.errors import ModelError
from dprules.jobs import verify


def test_a_file_verifies_or_says_why_not(released, tmp_path):
    released.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json") == []
    document = json.loads(released.to_json())
    document["label"]["column"] = "other"
    (tmp_path / "forged.json").write_text(json.dumps(document))
    assert verify(str(tmp_path / "forged.json")) == ["the certificate is for another model"]
    (tmp_path / "torn.json").write_text("{")
    with pytest.raises(ModelError):
        verify(tmp_path / "torn.json")
