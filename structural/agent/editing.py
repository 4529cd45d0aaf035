"""The tool ``ast_edit``: stage a structural rewrite.  No file is written.

The answer has the counts, the files, the matches that were refused, and the beginning of the
diff; what does not fit is had from ``show``, with the id.
"""

from __future__ import annotations

from structural.agent import changing, ruling, statement
from structural.agent import cursor as cursors
from structural.agent.budget import Room, clip, count, dumps, trim
from structural.agent.changing import DIFF, FILES
from structural.agent.ruling import RULES
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    BUDGET_LEAST,
    CODE_LONGEST,
    CONSTRAINTS,
    CUT,
    READINGS,
    REFUSED,
    SAMPLE,
    SCOPE,
    Schema,
    answer,
    flag,
    maybe,
    number,
    record,
    several,
    text,
)
from structural.agent.schema import FILES as SELECTION
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench, spec_of
from structural.errors import UsageError
from structural.workflow.changes import OpenTree, StagedChange, views
from structural.workflow.ruledstaging import stage_rules
from structural.workflow.scanning import stopping
from structural.workflow.several import stage_several
from structural.workflow.staging import RewriteSpec, Staged, stage_rewrite

_LISTED = 40
"""Files and refused matches that are listed at most; the others are counted."""


def ast_edit(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool."""
    tree = bench.tree(call)
    if "rule" in arguments or "rules" in arguments:
        with stopping(call.pause):
            return _by_rules(bench, tree, arguments, call)
    alone = sorted(_OF_RULES & set(arguments))
    if alone:
        raise UsageError(f"{', '.join(alone)} goes with rule or rules; nothing was staged")
    if "edits" in arguments:
        return _several(bench, tree, arguments, call)
    if "pattern" not in arguments or "rewrite" not in arguments:
        raise UsageError(
            "ast_edit needs pattern and rewrite; nothing was staged",
            hint="or edits, a list of such pairs; or rule, a rule with a rewrite",
        )
    spec = _spec(arguments)
    done = stage_rewrite(
        tree,
        spec,
        bench.selection(arguments),
        jobs=bench.jobs,
        max_count=arguments.get("max_matches", 0),
        partial="max_matches" in arguments,
        strict=arguments.get("strict", False),
        tick=call.tick,
        memory=bench.memory,
        started=lambda plans: _started(call, plans.summary.search.files),
    )
    return staged(bench, tree, done, arguments, call)


def _spec(arguments: Arguments) -> RewriteSpec:
    return RewriteSpec(
        spec_of(arguments),
        arguments["rewrite"],
        transforms=tuple(arguments.get("transforms", ())),
        until_stable=arguments.get("until_stable", False),
    )


def _several(bench: Workbench, tree: OpenTree, arguments: Arguments, call: Call) -> Answer:
    """Several rewrites as one change.  What is said once for the call holds for each that does not
    say otherwise."""
    wrong = sorted({"pattern", "rewrite", "max_matches"} & set(arguments))
    if wrong:
        raise UsageError(
            f"{', '.join(wrong)} and edits do not go together; nothing was staged",
            hint="give pattern and rewrite in edits",
        )
    common = {name: one for name, one in arguments.items() if name in _OF_ONE}
    specs = [_spec({**common, **one}) for one in arguments["edits"]]
    done, parts = stage_several(
        tree,
        specs,
        bench.selection(arguments),
        jobs=bench.jobs,
        strict=arguments.get("strict", False),
        tick=call.tick,
        memory=bench.memory,
    )
    value = staged(bench, tree, done, arguments, call, share=0.75)
    value["edits"] = [
        {
            "edit": at,
            "pattern": clip(spec.pattern.pattern, 80),
            "matches": part.summary.search.matches,
            "refused": part.refused,
        }
        for at, (spec, part) in enumerate(zip(specs, parts, strict=True), 1)
    ]
    trim(value, _budget(arguments))
    return value


def _by_rules(bench: Workbench, tree: OpenTree, arguments: Arguments, call: Call) -> Answer:
    """The rewrites of rules as one change."""
    wrong = sorted((_OF_ONE - {"until_stable"} | {"edits", "max_matches"}) & set(arguments))
    if wrong:
        raise UsageError(
            f"{', '.join(wrong)} and rules do not go together; nothing was staged",
            hint="what is rewritten, and where, stands in the rule",
        )
    recipe = ruling.recipe(bench, arguments)
    done = stage_rules(
        tree,
        recipe,
        jobs=bench.jobs,
        strict=arguments.get("strict", False),
        tick=call.tick,
        started=lambda plans: _started(call, plans.summary.search.files),
    )
    value = staged(bench, tree, done, arguments, call, share=0.75)
    if done.plan is not None and done.plan.ruled is not None:
        value |= ruling.tallies(bench, done.plan.ruled)
    value.pop("readings", None)
    trim(value, _budget(arguments))
    return value


def _budget(arguments: Arguments) -> int:
    budget: int = arguments.get("budget", BUDGET_DEFAULT)
    return budget


def _started(call: Call, files: int) -> None:
    call.total = files


def staged(
    bench: Workbench, tree: OpenTree, done: Staged, arguments: Arguments, call: Call, share: float = 1.0
) -> Answer:
    """The answer for what was staged, or for why nothing was.  It may have a *share* of the budget."""
    change, plan = done.change, done.plan
    value: Answer = {
        "ok": True,
        "summary": "",
        "id": change.id if change else None,
        "staged": change is not None,
    }
    if change is None:
        value["why"] = _why(done)
        if value["why"] == "no match" and "pattern" in arguments:
            again = {name: one for name, one in arguments.items() if name in _SEARCHED}
            if len(dumps(again)) <= 600:
                why = "what came closest, and what was not searched"
                value["next"] = [{"why": why, "tool": "ast_grep", "arguments": again}]
    if plan is not None:
        counts = {
            "matches": plan.matches,
            "unchanged": plan.unchanged,
            "overlapping": plan.overlapping,
            "again": plan.again,
        }
        value |= {name: one for name, one in counts.items() if one or name == "matches"}
        value["readings"] = statement.readings(plan.search.readings)
        value["scope"] = statement.scope(plan.search, bench.inside, done.skipped)
    value |= {"sites_total": 0, "files_total": 0, "added": 0, "removed": 0, "files": []}
    value |= {"refused_total": len(done.refused), "refused": [], "diff": ""}
    remarks = [*done.remarks, *_remarks(done)]
    if change is not None:
        value["sites_total"], value["files_total"] = change.sites, len(change.files)
        value["next"] = changing.accept_calls(change, show=True)
        remarks += changing.observed(bench, tree, change)
    if remarks:
        value["remarks"] = [clip(one, 400) for one in remarks[:20]]
    budget = max(BUDGET_LEAST, int(_budget(arguments) * share))
    trim(value, budget // 2)
    _fill(value, tree, change, done, budget, call, sample="budget" not in arguments)
    value["summary"] = _said(value, done)
    trim(value, budget)
    return value


def _fill(
    value: Answer,
    tree: OpenTree,
    change: StagedChange | None,
    done: Staged,
    budget: int,
    call: Call,
    *,
    sample: bool,
) -> None:
    """The lists of the answer, and as much of the diff as there is room for behind them.  *sample*: if that
    is not all of it, less will do."""
    if change is None:
        room = Room(max(0, budget - len(dumps(value))) // 4, "")
        value["refused"] = room.fill(changing.refused(done.refused), _LISTED)
        return
    entries: list[Answer] = []
    rows: list[str] = []
    lines, kept = 0, 0
    for view in views(tree, change):
        call.tick()
        diff = view.diff()
        entries.append(changing.file_entry(view, diff))
        for row in changing.diff_lines(view, diff):
            lines += 1
            if kept <= budget:
                rows.append(row)
                kept += len(row)
    value["added"], value["removed"] = changing.totals(entries)
    if sample and kept + sum(len(dumps(one)) for one in entries[:_LISTED]) + len(dumps(value)) > budget:
        budget = SAMPLE
    whole = Room(budget, value, reserve=min(420, budget // 4))
    part = Room(max(0, whole.left) // 4, "")
    value["refused"] = part.fill(changing.refused(done.refused), _LISTED)
    part = Room(max(0, whole.left) // 4, "")
    value["files"] = part.fill(entries, _LISTED)
    whole.take([value["files"], value["refused"]], must=True)
    value["diff"], shown, _ = changing.diff_page(rows, whole)
    if shown < lines:
        key = cursors.key_of("show", {"id": change.id})
        cursor = str(cursors.Cursor(key, changing.state_of(change), shown))
        value["cut"] = {"shown": shown, "left": lines - shown, "cursor": cursor}
        if "next" in value:
            value["next"][0] = {
                "why": "the rest of the diff",
                "tool": "show",
                "arguments": {"id": change.id, "cursor": cursor},
            }
    elif "next" in value:
        value["next"] = value["next"][1:]


def _why(done: Staged) -> str:
    """Why nothing was staged, as one word."""
    if done.strict:
        return "strict"
    if done.plan is not None and not done.plan.search.matches:
        return "no match"
    return "refused" if done.refused else "unchanged"


def _said(value: Answer, done: Staged) -> str:
    end = f"; {statement.searched(done.plan.search)}" if done.plan else ""
    left = f", {count(len(done.refused), 'match', 'matches')} refused" if done.refused else ""
    if done.change is not None:
        changes = f"{changing.amount(done.change, value['added'], value['removed'])}{left}"
        return f"staged as {done.change.id}: {changes}; nothing is written yet{end}"
    why = {
        "strict": "as something was refused or could not be searched",
        "no match": "as nothing matched",
        "refused": "as every match was refused",
        "unchanged": "as what would be written is there already",
    }[_why(done)]
    return f"nothing was staged, {why}{left}{end}"


def _remarks(done: Staged) -> list[str]:
    said: list[str] = []
    plan = done.plan
    if plan is not None:
        if plan.cut:
            said.append("the search was cut at max_matches, so there may be more: the change is partial")
        if plan.overlapping:
            said.append(
                f"{count(plan.overlapping, 'match', 'matches')} inside of others were left: stage again "
                "after accepting, or with until_stable"
            )
        if plan.again:
            said.append(f"the pattern matches {plan.again} times in the result: a second run would go on")
        if plan.cycles:
            said.append(f"{count(len(plan.cycles), 'file')} did not come to rest within the passes")
    said += [
        f"{one.path} would have {one.after} syntax errors, and has {one.before} now" for one in done.troubles
    ]
    return said


STAGED: dict[str, Schema] = {
    "id": maybe(text("The staged change; null if nothing was staged.")),
    "staged": flag(),
    "why": text("Why nothing was staged.", one_of=("no match", "unchanged", "refused", "strict")),
    "matches": number("Matches that are rewritten."),
    "unchanged": number("Matches that are already what they would become."),
    "overlapping": number("Matches inside of others, which were left."),
    "again": number("Matches that the pattern finds in the result."),
    "sites_total": number("Places that change as a whole or not at all."),
    "files_total": number(),
    "added": number("Lines of the diff."),
    "removed": number(),
    "files": FILES,
    "refused_total": number(),
    "refused": REFUSED,
    "diff": DIFF,
    "readings": READINGS,
    "scope": SCOPE,
    "cut": CUT,
}
"""What is said of a change that was staged."""

_ONE = {
    "pattern": text("Code with metavariables.", longest=CODE_LONGEST, shortest=1),
    "rewrite": text("What each match becomes, with the metavariables of the pattern.", longest=CODE_LONGEST),
    **CONSTRAINTS,
    "transforms": several(
        text(longest=2_000),
        "New names for the rewrite: 'NEW=convert($X, toCase=snakeCase)', "
        "'NEW=substring($X, startChar=1, endChar=-1)', 'NEW=replace($X, replace=\"^get\", by=\"\")'.",
        most=50,
    ),
    "until_stable": flag("Run again over the result until nothing changes (default false)."),
}
"""What one rewrite is."""

_OF_ONE = frozenset(_ONE)

_RULED = {
    **RULES,
    "title": text("Of a rule with several rewrites: the title of the one to stage.", longest=500),
    "suspicious": flag("Stage rewrites that are marked as suspicious too: look at each of them."),
}

_OF_RULES = frozenset(_RULED) - {"rule", "rules"}

_SEARCHED = frozenset({"pattern", *CONSTRAINTS, *SELECTION})
"""What ast_grep takes too."""

_PAIR = {name: _ONE[name] for name in ("pattern", "rewrite", "languages", "as", "where", "transforms")}
"""What each of several may say for itself."""

_EDITS = several(
    record(
        {"edit": number(), "pattern": text(), "matches": number(), "refused": number()},
        "edit",
        "pattern",
        "matches",
        "refused",
    ),
    "Of several rewrites: what each of them found.",
)

TOOL = Tool(
    "ast_edit",
    "Stage a structural rewrite",
    told(
        """
        Rewrite every match of a pattern, and stage the result as a diff under an id. Nothing is written until
        resolve accepts it: then all files are, or none. The rewrite is code with the metavariables of the
        pattern; only what differs between the two is edited, so comments, layout and everything that they do
        not mention stay. Parentheses, braces and separators are put where the language needs them, and a
        match that cannot be rewritten in safety is refused and told.

        Use it for any change of the same shape in more than one place: renaming a call, wrapping, adding an
        argument, replacing an idiom. Try the pattern with ast_grep first. Do not use it for one place that
        you have just read: that is edit.

        Example: {"pattern": "if ($X != null) $X.dispose()", "rewrite": "$X?.dispose()", "paths": ["src"]}.
        An empty rewrite removes the match. Several rewrites go into one change with `edits`. The rewrites of
        rules are staged with `rule` (a text, as for ast_scan) or `rules` (files, `catalogue/python`) and
        `ids`, in place of pattern and rewrite.
        """
    ),
    record(
        {
            **_ONE,
            "edits": several(
                record(_PAIR, "pattern", "rewrite"),
                "Several rewrites as one change, instead of pattern and rewrite: each is of the files as "
                "they are; where two want the same bytes both are refused. What else is given is for each.",
                least=1,
                most=50,
            ),
            **_RULED,
            **SELECTION,
            "strict": flag("Stage nothing if a match is refused or a file could not be searched."),
            "max_matches": number("Stage only the first so many matches; marked partial.", least=1),
            "budget": BUDGET,
        },
    ),
    answer(
        {**STAGED, "edits": _EDITS, **ruling.TALLIES},
        "id",
        "staged",
        "sites_total",
        "files_total",
        "files",
        "refused_total",
        "refused",
        "diff",
    ),
    ast_edit,
    changes=True,
)
