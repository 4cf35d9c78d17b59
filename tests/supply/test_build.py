"""Two builds of one commit are the same bytes."""

import subprocess

import pytest

from release import build


def run_git(folder, *arguments):
    who = ["-c", "user.name=Tests", "-c", "user.email=tests@example.invalid"]
    subprocess.run(["git", *who, "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A small project with one commit, and a file that is not committed."""
    folder = tmp_path / "project"
    (folder / "tiny").mkdir(parents=True)
    (folder / "tiny" / "__init__.py").write_text("")
    head = (
        '[project]\nname = "tiny"\nversion = "1"\nrequires-python = ">=3"\n[build-system]\nrequires = ["hatchling"]\n'
    )
    (folder / "pyproject.toml").write_text(head + 'build-backend = "hatchling.build"\n')
    run_git(tmp_path, "init", "--quiet", str(folder))
    run_git(folder, "add", ".")
    run_git(folder, "commit", "--quiet", "--message", "one")
    (folder / "tiny" / "notes.py").write_text("")
    return folder


def test_what_is_not_committed_is_in_no_archive(repository, tmp_path):
    with_notes = build.build_at(build.PLACES[0], repository, tmp_path)
    (repository / "tiny" / "notes.py").unlink()
    without = build.build_at(build.PLACES[1], repository, tmp_path)
    assert list(with_notes) == ["tiny-1-py3-none-any.whl", "tiny-1.tar.gz"]
    assert [build.hash_file(path) for path in with_notes.values()] == list(map(build.hash_file, without.values()))


def test_builds_that_differ_are_refused(repository, tmp_path):
    hook = '[tool.hatch.build.hooks.custom]\n[tool.hatch.build]\nartifacts = ["tiny/where.py"]\n'
    with (repository / "pyproject.toml").open("a") as file:
        file.write(hook)
    (repository / "hatch_build.py").write_text(
        "from pathlib import Path\n"
        "from hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
        "class Hook(BuildHookInterface):\n"
        "    def initialize(self, version, build_data):\n"
        "        Path(self.root, 'tiny', 'where.py').write_text(repr(self.root))\n"
    )
    run_git(repository, "add", "pyproject.toml", "hatch_build.py")
    run_git(repository, "commit", "--quiet", "--message", "two")
    with pytest.raises(ValueError, match=r"differ in tiny-1-py3-none-any\.whl, tiny-1\.tar\.gz"):
        build.build_twice(repository, tmp_path)


def test_the_sums_are_those_of_sha256sum(tmp_path):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b c").write_text("b")
    build.write_sums(tmp_path)
    build.write_sums(tmp_path)
    checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True)
    assert checked.stdout == "a: OK\nb c: OK\n"


@pytest.mark.slow
@pytest.mark.skipif(not (build.ROOT / ".git").exists(), reason="not a repository")
def test_two_builds_of_the_last_commit_are_the_same(tmp_path):
    made = build.build_twice(build.ROOT, tmp_path)
    assert sorted(path.suffix for path in made.values()) == [".gz", ".whl"]
