"""``ast_edit`` and what follows: nothing is written before it is accepted, and all can be taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from structural.agent import Toolbox
from structural.agent.observers import Proposal

from .conftest import checked, snapshot

Ask = Callable[..., dict[str, Any]]

RULE = {"pattern": "if ($X != null) $X.dispose()", "rewrite": "$X?.dispose()"}


def test_there_and_back(ask: Ask, root: Path) -> None:
    before = snapshot(root)
    staged = ask("ast_edit", **RULE)
    assert snapshot(root) == before
    assert (staged["sites_total"], staged["files_total"]) == (2, 1)
    assert "+dialog?.dispose();" in staged["diff"]
    assert "+menu?.dispose(); // bye" in staged["diff"]
    name = staged["id"]
    shown = ask("show", id=name)
    assert shown["diff"] == staged["diff"]
    done = ask("resolve", id=name, action="accept")
    assert done["state"] == "committed"
    assert (root / "src/app.js").read_text().startswith("dialog?.dispose();\n")
    assert ask("resolve", id=name, action="accept")["already"]
    undone = ask("undo", id=name)
    assert undone["undoes"] == name
    assert snapshot(root) == before


def test_staging_the_same_again_is_the_same_change(ask: Ask) -> None:
    one, two = ask("ast_edit", **RULE), ask("ast_edit", **RULE)
    assert one == two
    assert ask("status")["open_total"] == 1


def test_ids_do_not_depend_on_the_machine(root: Path, tmp_path: Path) -> None:
    import shutil

    other = tmp_path / "copy"
    shutil.copytree(root, other)
    names = {checked(Toolbox(str(at)), "ast_edit", **RULE)["id"] for at in (root, other)}
    assert len(names) == 1


def test_a_file_that_changes_in_between_refuses_all(ask: Ask, root: Path) -> None:
    name = ask("ast_edit", pattern="print($X)", rewrite="log($X)")["id"]
    path = root / "src/tool.py"
    path.write_text("# new\n" + path.read_text())
    now = snapshot(root)
    refused = ask("resolve", id=name, action="accept")
    assert refused["error"]["code"] == "stale"
    assert refused["error"]["files"][0]["path"] == "src/tool.py"
    assert refused["error"]["files"][0]["expected"] != refused["error"]["files"][0]["found"]
    assert snapshot(root) == now
    assert ask("show", id=name)["stale_total"] == 1
    again = ask("rebase", id=name)
    assert (again["rebased"], again["same"]) == (True, 2)
    assert ask("resolve", id=name, action="accept")["ok"]
    assert path.read_text().startswith("# new\n")
    assert "log(add(1, 2))" in path.read_text()


def test_sites_are_dropped_by_number(ask: Ask, root: Path) -> None:
    name = ask("ast_edit", pattern="print($X)", rewrite="log($X)")["id"]
    sites = ask("show", id=name, what="sites")["sites"]
    assert [one["site"] for one in sites] == [1, 2]
    assert "@@ site 1-2" in ask("show", id=name)["diff"]
    dropped = ask("drop", id=name, sites=[2])
    assert dropped["dropped"] == [2]
    ask("resolve", id=name, action="accept")
    assert (root / "src/tool.py").read_text().endswith("log(add(1, 2))\nprint(add(3, 4))\n")
    assert ask("drop", id=name, sites=[1])["error"]["code"] == "staging"


def test_a_diff_is_read_to_its_end_page_by_page(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"f{number}.py").write_text("print(1)\n\n\n\n\n\n\n\n" * 40)
    box = Toolbox(str(tmp_path), jobs=1)
    staged = checked(box, "ast_edit", pattern="print($X)", rewrite="log($X)", budget=2_000)
    assert staged["sites_total"] == 200
    text = staged["diff"]
    step = staged["next"][0]
    while step["tool"] == "show" and "cursor" in step["arguments"]:
        page = checked(box, "show", **{**step["arguments"], "budget": 3_000})
        text += page["diff"]
        step = page["next"][0]
    assert text == checked(box, "show", id=staged["id"], budget=200_000)["diff"]
    assert text.count("+log(1)") == 200


def test_ignored_files_are_not_edited_unless_named(ask: Ask) -> None:
    assert ask("ast_edit", **RULE)["files_total"] == 1
    assert ask("ast_edit", **RULE, paths=["build"])["files"][0]["path"] == "build/out.js"


@pytest.mark.parametrize(
    ("rewrite", "why"), [("print($X)", "unchanged"), ("prnt($X)", ""), ("$X.y(", None), ("f($Y)", None)]
)
def test_why_nothing_was_staged(ask: Ask, rewrite: str, why: str | None) -> None:
    answer = ask("ast_edit", pattern="print($X)", rewrite=rewrite)
    if why is None:
        assert answer["error"]["code"] == "rewrite"
    else:
        assert answer.get("why", "") == why


def test_no_match_is_no_error_and_stages_nothing(ask: Ask) -> None:
    answer = ask("ast_edit", pattern="nothing_like($X)", rewrite="f($X)")
    assert (answer["ok"], answer["staged"], answer["id"], answer["why"]) == (True, False, None, "no match")


def test_an_unknown_id_lists_those_that_would_do(ask: Ask) -> None:
    name = ask("ast_edit", **RULE)["id"]
    answer = ask("resolve", id="zzzzzz", action="accept")
    assert answer["error"]["code"] == "unknown-change"
    assert answer["error"]["known"] == [name]


def test_discarding_writes_nothing(ask: Ask, root: Path) -> None:
    before = snapshot(root)
    name = ask("ast_edit", **RULE)["id"]
    assert ask("resolve", id=name, action="discard")["state"] == "discarded"
    assert snapshot(root) == before
    assert ask("status")["open_total"] == 0


def test_a_server_that_is_killed_loses_no_change(root: Path) -> None:
    name = checked(Toolbox(str(root)), "ast_edit", **RULE)["id"]
    (found,) = checked(Toolbox(str(root)), "status")["open"]
    assert found["id"] == name


def test_a_damaged_change_does_not_hide_the_others(ask: Ask, root: Path) -> None:
    good = ask("ast_edit", pattern="print($X)", rewrite="log($X)")["id"]
    bad = ask("ast_edit", **RULE)["id"]
    (record,) = (root / ".structural").rglob(f"*{bad}*/change.json")
    record.write_bytes(record.read_bytes()[:40])
    answer = ask("status")
    assert [one["id"] for one in answer["open"]] == [good]
    assert [one["id"] for one in answer["damaged"]] == [bad]
    assert not ask("show", id=bad)["ok"]
    assert ask("resolve", id=good, action="accept")["ok"]


def test_an_answer_tells_what_became_of_an_interrupted_commit(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from structural.workflow import changes
    from structural.workflow.changes import OpenTree, Recovered

    opened = changes.open_tree

    def after_a_crash(root: str) -> OpenTree:
        return replace(opened(root), recovered=Recovered("qkzvbn", finished=True, found=True, files=2))

    monkeypatch.setattr(changes, "open_tree", after_a_crash)
    assert "the interrupted commit of qkzvbn was finished: it is written" in ask("status")["remarks"]
    assert ask("ast_edit", **RULE)["remarks"]


def test_observers_see_what_is_proposed_and_committed(root: Path) -> None:
    seen: list[tuple[str, str, bytes | None]] = []

    class Watcher:
        def proposed(self, files: Iterator[Proposal]) -> Iterable[str]:
            seen.extend(("proposed", one.path, one.after) for one in files)
            return ["one warning is new"]

        def committed(self, files: Iterator[Proposal]) -> Iterable[str]:
            seen.extend(("committed", one.path, one.after) for one in files)
            return ()

    box = Toolbox(str(root), observers=[Watcher()])
    staged = checked(box, "ast_edit", pattern="print($X)", rewrite="log($X)")
    assert "one warning is new" in staged["remarks"]
    checked(box, "resolve", id=staged["id"], action="accept")
    after = (root / "src/tool.py").read_bytes()
    assert seen == [("proposed", "src/tool.py", after), ("committed", "src/tool.py", after)]


def test_a_diff_that_does_not_fit_is_a_sample(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"f{number}.py").write_text("call_of_some_length(0)\n\n\n\n\n\n\n\n" * 10)
    box = Toolbox(str(tmp_path), jobs=1)
    asked = {"pattern": "call_of_some_length($X)", "rewrite": "other($X)"}
    sample = checked(box, "ast_edit", **asked)
    whole = checked(box, "ast_edit", **asked, budget=8_000)
    assert sample["id"] == whole["id"]
    assert 2_000 < len(json.dumps(sample)) <= 3_200
    assert len(json.dumps(whole)) > 7_000
    step = sample["next"][0]
    assert step["tool"] == "show"
    rest = checked(box, "show", **step["arguments"])
    assert whole["diff"].startswith(sample["diff"])
    assert (sample["diff"] + rest["diff"]).startswith(whole["diff"][: len(sample["diff"]) + 1_000])
    accepted = checked(box, "resolve", id=sample["id"], action="accept")
    assert accepted["files_total"] == 30
    assert len(accepted["files"]) == 8
