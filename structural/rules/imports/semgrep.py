"""Rules of semgrep → rule files of ours: the front door of this package.

Nothing is dropped in silence. A key that only tells something (``metadata``) is handed on; one that
changes what is found and has no counterpart refuses the rule, or stands in it as a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from structural.rules.compile import compile_rules
from structural.rules.imports import layout
from structural.rules.imports.conditions import RefusedError, Whole, of_formula
from structural.rules.imports.document import Items, Keys, Text, UnreadableError, documents, plain
from structural.rules.imports.formula import FORMULAS, Code, Focus, Formula, of_rule, walk
from structural.rules.imports.languages import TEXT, ours
from structural.rules.imports.layout import Comment
from structural.rules.imports.patterns import Context, has_language
from structural.rules.reading import read_rules
from structural.rules.values import At, Problem


@dataclass(frozen=True, slots=True)
class ImportedRule:
    """A rule as YAML.  ``remarks`` say what it finds otherwise than where it comes from."""

    id: str
    text: str
    languages: tuple[str, ...]
    at: At
    remarks: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file: ``refused`` are rules that are not written, each with the reason, or why the
    file could not be read.  ``total``: rules in the file."""

    path: str
    rules: tuple[ImportedRule, ...] = ()
    refused: tuple[Problem, ...] = ()
    total: int = 0

    @property
    def text(self) -> str:
        """The rule file, empty if there is no rule."""
        return "---\n".join(rule.text for rule in self.rules)


def is_semgrep(text: bytes) -> bool:
    """Whether *text* looks like a file of rules of semgrep; reads no YAML."""
    return re.search(rb"^[\"']?rules[\"']?\s*:", text, re.MULTILINE) is not None


def import_semgrep(text: bytes, path: str) -> Imported:
    """Every rule of the file *text*; never raises on what it holds."""
    try:
        nodes = documents(text)
    except UnreadableError as problem:
        return Imported(path, (), (Problem(path, problem.at, str(problem)),))
    made: list[ImportedRule] = []
    refused: list[Problem] = []
    taken: set[str] = set()
    total = 0
    for node in nodes:
        rules = node.get("rules") if isinstance(node, Keys) else None
        if not isinstance(rules, Items):
            refused.append(
                Problem(path, node.at, "there is no list under `rules`, so these are no rules of semgrep")
            )
            continue
        for rule in rules.items:
            total += 1
            if not isinstance(rule, Keys):
                refused.append(Problem(path, rule.at, "a rule is no mapping"))
                continue
            try:
                one = _rule(rule, path)
                _check(one)
            except RefusedError as problem:
                refused.append(Problem(path, problem.at, str(problem), rule=rule.text("id")))
                continue
            except RecursionError:
                refused.append(Problem(path, rule.at, "it is nested too deeply", rule=rule.text("id")))
                continue
            if one.id in taken:
                refused.append(
                    Problem(path, rule.at, f"a rule before it has the id {one.id!r} too", rule=one.id)
                )
                continue
            taken.add(one.id)
            made.append(one)
    return Imported(path, tuple(made), tuple(refused), total)


def _check(made: ImportedRule) -> None:
    """RefusedError if what was made is no rule that can be used."""
    read = read_rules(made.text.encode("utf-8", "surrogatepass"), "")
    problems = read.problems
    if read.rules:
        problems = (*problems, *compile_rules(read.rules, read.utilities)[1])
    for problem in problems:
        if not problem.warning:
            raise RefusedError(f"what it would become cannot be used: {problem.message}", made.at)


# --- one rule -----------------------------------------------------------------------------------

_MODES = {
    "taint": "follows data through a program, which is not done here",
    "join": "joins what several rules find",
    "extract": "takes code of one language out of another; scripts in HTML are found without that",
    "steps": "is not documented",
    "secrets": "asks servers whether a secret is valid",
    "sca": "compares versions of dependencies",
}
_SEVERITIES = {
    "error": "error",
    "critical": "error",
    "high": "error",
    "warning": "warning",
    "medium": "warning",
    "info": "info",
    "low": "info",
    "inventory": "hint",
    "experiment": "hint",
}
_TOLD = ("id", "message", "languages", "language", "severity", "metadata", "paths", "options", "mode")
_KNOWN = frozenset((*_TOLD, "match", "fix", "fix-regex", "min-version", "max-version", *FORMULAS))
_OPTIONS_NOT_HERE = frozenset({"symbolic_propagation", "constant_propagation", "interfile", "interproc"})
"""Options for what is not done here in any case."""


def _rule(rule: Keys, path: str) -> ImportedRule:
    name = rule.text("id")
    if not name:
        raise RefusedError("it has no `id`", rule.at)
    mode = rule.text("mode") or "search"
    if mode != "search" or "pattern-sources" in rule.values:
        mode = mode if mode != "search" else "taint"
        raise RefusedError(
            f"mode `{mode}` {_MODES.get(mode, 'is not known')}", rule.places.get("mode", rule.at)
        )
    remarks: list[tuple[str, At]] = []
    context = Context(_languages(rule, remarks))
    formula = of_rule(rule)
    if formula is None:
        raise RefusedError("it has no pattern", rule.at)
    whole = of_formula(formula, context)
    remarks += [(f"finds less than in semgrep: {reason}", rule.at) for reason in context.refused.values()]
    remarks += whole.remarks
    made = _mapping(rule, whole, context, remarks, _bound(formula))
    comments = [Comment(f"From {path}, line {rule.at.line}, by `astgrep import`.")]
    comments += [Comment(f"{text[:1].upper()}{text[1:]} (line {at.line}).") for text, at in remarks]
    document = layout.document({**dict.fromkeys(comments), **made})
    return ImportedRule(
        str(made["id"]),
        document,
        tuple(context.languages),
        rule.at,
        tuple(Problem(path, at, text, rule=str(made["id"]), warning=True) for text, at in remarks),
    )


def _languages(rule: Keys, remarks: list[tuple[str, At]]) -> list[str]:
    named = rule.texts("languages") or rule.texts("language")
    if not named:
        raise RefusedError("it names no language", rule.at)
    at = rule.places.get("languages", rule.at)
    found: list[str] = []
    missing: list[str] = []
    for name in named:
        known = [one for one in ours(name) if has_language(one)]
        if not known:
            missing.append(name)
        found += [one for one in known if one not in found]
    if not found and all(name.lower() in TEXT for name in named):
        raise RefusedError(f"the language {named[0]!r} is any text, and rules look at code", at)
    if not found:
        raise RefusedError(f"there is no language {missing[0]!r} here", at)
    remarks += [(f"finds less than in semgrep: there is no language {name!r} here", at) for name in missing]
    return found


def _mapping(
    rule: Keys, whole: Whole, context: Context, remarks: list[tuple[str, At]], bound: frozenset[str]
) -> dict[str, Any]:
    languages = context.languages
    made: dict[str, Any] = {
        "id": re.sub(r"[^\w./-]", "-", rule.text("id"), flags=re.ASCII),
        "language": languages[0] if len(languages) == 1 else list(languages),
        "severity": _severity(rule, remarks),
    }
    message = _mentioned(rule.text("message").strip(), bound)
    if message:
        made["message"] = message
    metadata = rule.get("metadata")
    known = plain(metadata) if isinstance(metadata, Keys) else None
    if isinstance(known, dict):
        made.update(_told(known))
    _paths(rule, made, remarks)
    names = _utility_names(context.utilities)
    made["rule"] = _renamed(whole.condition, names)
    if whole.constraints:
        made["constraints"] = _renamed(whole.constraints, names)
    if context.utilities:
        made["utils"] = {names[name]: _renamed(one, names) for name, one in context.utilities.items()}
    if whole.focus:
        made["focus"] = whole.focus
    _fix(rule, made, whole.focus, remarks)
    if known:
        made["metadata"] = known
    _others(rule, remarks)
    return made


def _utility_names(utilities: dict[str, Any]) -> dict[str, str]:
    """The names of utilities, numbered from 1 each."""
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name in utilities:
        stem = name.partition("-")[0]
        counts[stem] = counts.get(stem, 0) + 1
        names[name] = f"{stem}-{counts[stem]}"
    return names


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """*value* with utilities under their new names."""
    if isinstance(value, dict):
        return {
            key: names.get(one, one) if key == "matches" else _renamed(one, names)
            for key, one in value.items()
        }
    return [_renamed(one, names) for one in value] if isinstance(value, list) else value


def _severity(rule: Keys, remarks: list[tuple[str, At]]) -> str:
    said = rule.text("severity").strip()
    if said and said.lower() not in _SEVERITIES:
        remarks.append((f"the severity {said!r} is not known, so it is a warning", rule.places["severity"]))
    return _SEVERITIES.get(said.lower(), "warning")


def _told(metadata: dict[str, Any]) -> dict[str, Any]:
    """What of the metadata has a key of its own."""
    made: dict[str, Any] = {}
    links = metadata.get("references") or metadata.get("source") or ()
    first = links if isinstance(links, str) else next((one for one in links if isinstance(one, str)), "")
    if re.fullmatch(r"https?://\S+", first.strip()):
        made["url"] = first.strip()
    tags: list[str] = []
    for key in ("category", "technology", "subcategory"):
        value = metadata.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and re.fullmatch(r"[\w.+#-]+", one) and one not in tags:
                tags.append(one)
    if tags:
        made["tags"] = tags
    return made


def _paths(rule: Keys, made: dict[str, Any], remarks: list[tuple[str, At]]) -> None:
    paths = rule.get("paths")
    if paths is None:
        return
    if not isinstance(paths, Keys):
        raise RefusedError("`paths` is no mapping", rule.places["paths"])
    for key, ours_ in (("include", "files"), ("exclude", "ignores")):
        globs = list(dict.fromkeys(one for text in paths.texts(key) for one in _globs(text)))
        if globs:
            made[ours_] = globs
    remarks += [
        (f"`paths.{key}` is not known and was left out", paths.places[key])
        for key in paths.values
        if key not in {"include", "exclude"}
    ]


def _globs(text: str) -> list[str]:
    """A path of semgrep, which fits at any depth unless it begins with a slash, and whole folders too."""
    body = text.strip()
    if not body:
        return []
    if body.startswith("/"):
        return [body.lstrip("/")]
    if body.startswith("**/") or "/" not in body.rstrip("/"):
        return [body if body.startswith("**/") else f"**/{body}"]
    return [f"**/{body}"]


def _fix(rule: Keys, made: dict[str, Any], focus: str | None, remarks: list[tuple[str, At]]) -> None:
    if "fix-regex" in rule.values:
        remarks.append(
            ("`fix-regex` is left out: the match is rewritten as code here", rule.places["fix-regex"])
        )
    fix = rule.get("fix")
    if not isinstance(fix, Text):
        return
    text = re.sub(r"\$\.\.\.([A-Z_][A-Z0-9_]*)", r"$$$\1", fix.value.rstrip("\n"))
    if focus:
        made["rewrite"] = [{"rewrite": text, "target": focus, "safety": "suspicious"}]
    else:
        made["rewrite"] = text
        made["safety"] = "suspicious"


def _others(rule: Keys, remarks: list[tuple[str, At]]) -> None:
    options = rule.get("options")
    if isinstance(options, Keys):
        for key in options.values:
            if key not in _OPTIONS_NOT_HERE:
                remarks.append((f"the option `{key}` is left out", options.places[key]))
            elif options.text(key).lower() == "true":
                remarks.append((f"finds less than in semgrep: there is no `{key}` here", options.places[key]))
    remarks += [
        (f"`{key}` is not known and was left out", rule.places[key])
        for key in rule.values
        if key not in _KNOWN
    ]


def _bound(formula: Formula) -> frozenset[str]:
    """The metavariables that patterns of the formula bind."""
    names: set[str] = set()
    for one in walk(formula):
        if isinstance(one, Code):
            names |= {found[1] for found in re.finditer(r"\$(?:\.\.\.)?([A-Z_][A-Z0-9_]*)", one.text)}
        elif isinstance(one, Focus):
            names |= set(one.names)
    return frozenset(names)


def _mentioned(message: str, bound: frozenset[str]) -> str:
    """*message* with metavariables as ours are written; what nothing binds is a text with a dollar sign."""

    def written(found: re.Match[str]) -> str:
        if found[2] not in bound:
            return f"\\{found[0]}"
        return f"$$${found[2]}" if found[1] else found[0]

    return re.sub(r"\$(\.\.\.)?([A-Z_][A-Z0-9_]*)(?![A-Za-z0-9_])", written, message)
