"""What conditions mean, one sentence each."""

from __future__ import annotations

import dataclasses

from structural.rules.engine import find
from structural.rules.messages import message
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Condition,
    Count,
    KindAtom,
    Matches,
    Not,
    NthChildAtom,
    PatternAtom,
    RangeAtom,
    RegexAtom,
    Relation,
    Rule,
    SameAs,
    Severity,
    Utility,
)
from tests.rules.asking import bindings, compiled, found, problems, texts

SOURCE = """\
def f(a, b=1):
    x = g(a, (b))
    if x:
        for i in x:
            print(i, x)
    return h(x)


def k(x):
    y = g(x)
"""


def pattern(text: str, **more: str) -> PatternAtom:
    return PatternAtom(text, **more)  # type: ignore[arg-type]


def kind(*names: str) -> KindAtom:
    return KindAtom(names)


def inside(condition: Condition | None, until: str | Condition = "end", field: str | None = None) -> Relation:
    return Relation("inside", condition, until, field)


def has(condition: Condition | None, until: str | Condition = "end", field: str | None = None) -> Relation:
    return Relation("has", condition, until, field)


def both(*conditions: Condition) -> All:
    return All(conditions)


def either(*conditions: Condition) -> AnyOf:
    return AnyOf(conditions)


# --- atoms ----------------------------------------------------------------------------------------


def test_a_pattern_stands_where_a_search_finds_it() -> None:
    assert texts(pattern("g($$$A)"), SOURCE) == ["g(a, (b))", "g(x)"]


def test_a_kind_is_exact() -> None:
    assert texts(kind("for_statement"), SOURCE) == ["for i in x:\n            print(i, x)"]


def test_a_kind_with_a_name_is_no_token() -> None:
    assert texts(kind("lambda"), "f = lambda: 1") == ["lambda: 1"]
    assert texts(kind("async"), "async def f(): pass") == ["async"]


def test_a_regular_expression_is_searched_in_the_text() -> None:
    assert texts(both(kind("identifier"), RegexAtom("^[gh]$")), SOURCE) == ["g", "h", "g"]


def test_a_regular_expression_beside_a_run_is_of_the_whole_run() -> None:
    run = pattern("a = $X\nb = $Y")
    assert texts(both(run, RegexAtom("2$")), "a = 1\nb = 2\nc = 3\n") == ["a = 1\nb = 2"]
    assert texts(both(run, RegexAtom("1$")), "a = 1\nb = 2\nc = 3\n") == []


def test_children_are_counted_from_one_and_only_named_ones() -> None:
    source = "f(a, b, c, d, e)"
    argument = inside(kind("argument_list"), "neighbor")
    for atom, wanted in (
        (NthChildAtom(0, 2), ["b"]),
        (NthChildAtom(2, 1), ["a", "c", "e"]),
        (NthChildAtom(-1, 2), ["a", "b"]),
        (NthChildAtom(0, 1, reverse=True), ["e"]),
        (NthChildAtom(0, 1, of=RegexAtom("[^ab]")), ["c"]),
    ):
        assert texts(both(argument, atom), source) == wanted


def test_a_range_is_lines_and_columns_from_one() -> None:
    assert texts(both(kind("identifier"), RangeAtom((6, None), None)), SOURCE) == ["h", "x"]
    assert texts(both(kind("call"), RangeAtom((6, 12), (6, 16))), SOURCE) == ["h(x)"]


def test_a_selector_chooses_a_part_of_the_text() -> None:
    atom = pattern("class A { $F = $V }", selector="field_definition")
    source = "class B { x = 1; y = 2; z() {} }"
    assert texts(atom, source, "javascript") == ["x = 1", "y = 2"]


# --- relations --------------------------------------------------------------------------------------


def test_neighbor_is_the_parent() -> None:
    assert texts(both(kind("call"), inside(kind("return_statement"), "neighbor")), SOURCE) == ["h(x)"]
    assert texts(both(kind("call"), inside(kind("for_statement"), "neighbor")), SOURCE) == []
    assert texts(both(kind("call"), inside(kind("for_statement"))), SOURCE) == ["print(i, x)"]


def test_neighbor_is_a_child() -> None:
    assert texts(both(kind("return_statement"), has(kind("call"), "neighbor")), SOURCE) == ["return h(x)"]
    assert texts(both(kind("return_statement"), has(kind("identifier"), "neighbor")), SOURCE) == []


def test_a_stop_is_looked_at_itself() -> None:
    source = "def f():\n    class A:\n        x = 1\n    y = 2\n"
    assert texts(
        both(kind("assignment"), inside(kind("function_definition"), kind("class_definition"))), source
    ) == ["y = 2"]
    assert texts(
        both(kind("assignment"), inside(kind("class_definition"), kind("class_definition"))), source
    ) == ["x = 1"]
    assert (
        texts(both(kind("function_definition"), has(RegexAtom("^x$"), kind("class_definition"))), source)
        == []
    )
    assert (
        len(texts(both(kind("function_definition"), has(RegexAtom("^y$"), kind("class_definition"))), source))
        == 1
    )


def test_a_field_is_of_the_outer_node() -> None:
    source = "if a: b\n"
    assert texts(both(kind("identifier"), inside(kind("if_statement"), "end", "condition")), source) == ["a"]
    assert texts(both(kind("identifier"), inside(kind("if_statement"), "end", "consequence")), source) == [
        "b"
    ]
    assert texts(both(kind("if_statement"), has(RegexAtom("^b$"), "end", "consequence")), source) == [
        "if a: b"
    ]
    assert texts(both(kind("if_statement"), has(RegexAtom("^a$"), "end", "consequence")), source) == []


def test_siblings_without_separators() -> None:
    source = "f(a, b, c)"
    argument = kind("identifier")
    assert texts(both(argument, Relation("follows", pattern("a"))), source) == ["b"]
    assert texts(both(argument, Relation("follows", pattern("a"), "end")), source) == ["b", "c"]
    assert texts(both(argument, Relation("precedes", pattern("c"))), source) == ["b"]
    assert texts(both(argument, Relation("precedes", pattern("c"), "end")), source) == ["f", "a", "b"][1:]


def test_an_expression_has_the_siblings_of_its_statement() -> None:
    source = "open()\nwork()\nclose()\n"
    assert texts(both(pattern("close()"), Relation("follows", pattern("open()"), "end")), source) == [
        "close()"
    ]
    assert texts(both(pattern("work()"), Relation("precedes", pattern("close()"))), source) == ["work()"]


def test_siblings_up_to_a_stop() -> None:
    source = "a()\nb()\nc()\nd()\n"
    after = Relation("follows", pattern("a()"), pattern("c()"))
    assert texts(both(pattern("$F()"), after), source) == ["b()", "c()"]


def test_the_nearest_gives_the_bindings() -> None:
    source = "for a in x:\n    for b in y:\n        f()\n        g()\n        h()\n"
    assert bindings(both(pattern("h()"), inside(pattern("for $I in $L: $$$"))), source) == [
        {"I": "b", "L": "y"}
    ]
    assert bindings(both(pattern("h()"), Relation("follows", pattern("$F()"), "end")), source) == [{"F": "g"}]
    assert bindings(both(kind("module"), has(pattern("$F()"))), source) == [{"F": "f"}]


# --- bindings ---------------------------------------------------------------------------------------


def test_names_are_the_same_code_in_all_conditions() -> None:
    condition = both(pattern("print($A, $B)"), inside(pattern("for $A in $B: $$$")))
    assert texts(condition, SOURCE) == ["print(i, x)"]
    assert texts(both(pattern("print($A, $B)"), inside(pattern("for $B in $A: $$$"))), SOURCE) == []


def test_negation_is_asked_last() -> None:
    negation = Not(inside(pattern("for $A in $B: $$$")))
    source = "for a in b:\n    print(a, b)\n    print(b, a)\n"
    assert texts(both(negation, pattern("print($A, $B)")), source) == ["print(b, a)"]
    assert texts(both(pattern("print($A, $B)"), negation), source) == ["print(b, a)"]


def test_another_alternative_is_taken_back() -> None:
    condition = both(either(pattern("f($A, $B)"), pattern("f($B, $A)")), inside(pattern("with $A: $$$")))
    assert bindings(condition, "with b:\n    f(a, b)\n") == [{"A": "b", "B": "a"}]


def test_another_choice_of_an_ellipsis_is_taken() -> None:
    condition = both(pattern("f($$$, $X, $$$)"), inside(pattern("with $X: $$$")))
    assert bindings(condition, "with c:\n    f(a, b, c)\n") == [{"X": "c"}]
    twice = both(pattern("f($$$, $X, $$$)"), has(pattern("g($$$, $X)")), inside(pattern("with $X: $$$")))
    assert bindings(twice, "with c:\n    f(b, g(a, c), c)\n") == [{"X": "c"}]


def test_the_first_alternative_that_holds_gives_the_bindings() -> None:
    condition = either(pattern("f($A)"), pattern("$F(1)"))
    assert bindings(condition, "f(1)\n") == [{"A": "1"}]


def test_layers_of_one_span_are_found_once() -> None:
    assert texts(either(kind("expression_statement"), kind("call")), "f(x)\n") == ["f(x)"]


# --- constraints ------------------------------------------------------------------------------------


def rule(condition: Condition, **more: object) -> Rule:
    return dataclasses.replace(Rule("r", ("python",), condition), **more)  # type: ignore[arg-type]


def test_a_constraint_makes_an_ellipsis_give_back() -> None:
    source = "f(a, 1, b)\n"
    asked = rule(pattern("f($$$A, $X, $$$B)"), constraints={"X": kind("integer")})
    assert bindings(asked, source) == [{"A": "a", "X": "1", "B": "b"}]


def test_constraints_of_an_ellipsis() -> None:
    source = "f(a, b)\nf(1, 2, 3)\nf()\n"
    for condition, wanted in (
        (Count(">=", 2), ["f(a, b)", "f(1, 2, 3)"]),
        (Count("==", 0), ["f()"]),
        (kind("integer"), ["f(1, 2, 3)", "f()"]),
        (Not(kind("integer")), ["f(a, b)", "f()"]),
        (RegexAtom("^a, b$"), ["f(a, b)"]),
        (All((Count(">", 0), kind("identifier"))), ["f(a, b)"]),
    ):
        assert texts(rule(pattern("f($$$A)"), constraints={"A": condition}), source) == wanted


def test_two_metavariables_are_compared() -> None:
    source = "f(a, a)\nf(a, b)\n"
    assert texts(rule(pattern("f($A, $B)"), constraints={"A": SameAs("B")}), source) == ["f(a, a)"]
    assert texts(rule(pattern("f($A, $B)"), constraints={"A": Not(SameAs("B"))}), source) == ["f(a, b)"]


def test_a_constraint_of_another_binding() -> None:
    asked = rule(
        both(kind("return_statement"), has(pattern("h($A)"))),
        constraints={"A": inside(pattern("def f($$$): $$$"))},
    )
    assert texts(asked, SOURCE) == ["return h(x)"]
    assert (
        texts(dataclasses.replace(asked, constraints={"A": inside(pattern("def k($$$): $$$"))}), SOURCE) == []
    )


def test_a_constraint_binds_too() -> None:
    asked = rule(pattern("f($A)"), constraints={"A": pattern("g($B)")})
    assert bindings(asked, "f(g(1))\nf(h(2))\n") == [{"A": "g(1)", "B": "1"}]


def test_the_focus_is_reported() -> None:
    assert texts(rule(pattern("g($$$A)"), focus="A"), SOURCE) == ["a, (b)", "x"]


# --- utilities ----------------------------------------------------------------------------------------


def test_a_utility_has_the_names_of_its_rule() -> None:
    utilities = (Utility("loop", pattern("for $I in $L: $$$")),)
    condition = both(pattern("print($I, $$$)"), inside(Matches("loop")))
    assert texts(condition, SOURCE, utilities=utilities) == ["print(i, x)"]


def test_a_parameter_is_a_name_or_a_condition() -> None:
    call = Utility("call", pattern("$T($$$)"), ("T",))
    condition = both(pattern("$X = $Y"), has(Matches("call", {"T": "$F"})))
    assert bindings(rule(condition, utilities={"call": call}), "a = g(b)\n") == [
        {"X": "a", "Y": "g(b)", "F": "g"}
    ]
    asked = rule(Matches("call", {"T": RegexAtom("^[kh]$")}), utilities={"call": call})
    assert texts(asked, SOURCE) == ["h(x)"]
    assert bindings(asked, SOURCE) == [{}]


# --- sets -----------------------------------------------------------------------------------------------


def test_embedded_code_is_searched_in_place() -> None:
    source = "<script>a === a; b === c</script>\n"
    assert texts(pattern("$A === $A"), source, "javascript", host="html") == ["a === a"]


def test_a_pattern_with_a_template_comes_to_a_worker() -> None:
    assert bindings(pattern("'$S'.format($A)"), "'a b'.format(1)") == [{"S": "a b", "A": "1"}]


def test_findings_come_by_place_and_rule() -> None:
    made = compiled(
        Rule("b", ("python",), pattern("g($$$)")),
        Rule("a", ("python",), kind("call")),
        Rule("c", ("python",), kind("call"), severity=Severity.OFF),
    )
    source = b"g(f(1))\nf(g(2))\n"
    those = [(one.rule, one.span.start) for one in find(made, source, "python").findings]
    assert those == [("a", 0), ("b", 0), ("a", 2), ("a", 8), ("a", 10), ("b", 10)]
    assert {one.rule for one in find(made, source, "python", only=frozenset({"b"})).findings} == {"b"}
    assert {one.rule for one in find(made, source, "python", only=frozenset({"c"})).findings} == {"c"}


def test_comments_with_a_marker_are_told() -> None:
    made = compiled(Rule("b", ("python",), pattern("g($$$)")))
    source = b"# ignore this\nf(1)  # other\n'ignore'\n"
    result = find(made, source, "python", marker=b"ignore")
    assert [one.text(source) for one in result.comments] == ["# ignore this"]
    assert find(made, b"f(1)", "python", marker=b"ignore").parsed is False


def test_a_language_without_a_kind_is_told() -> None:
    found_in = Rule("r", ("javascript", "typescript"), kind("type_annotation"))
    (warning,) = problems(found_in)
    assert warning.warning
    assert "javascript has no kind" in warning.message


def test_mistakes_are_told_with_their_place() -> None:
    at = At(3, 7)
    call = pattern("f($A)")
    for asked, wanted in (
        (rule(PatternAtom("f($A", at=at)), "is no code in python"),
        (rule(KindAtom(("cal",), at)), "python has no kind 'cal'"),
        (rule(All((KindAtom(("identifier",)), call), at)), "this can never hold"),
        (rule(Relation("has", call, field="bdy", at=at)), "python has no field 'bdy'"),
        (rule(Matches("no", at=at)), "no utility is called 'no'"),
        (rule(call, constraints={"B": RegexAtom("x", at)}), "nothing binds $B"),
        (rule(call, constraints={"A": SameAs("B", at)}), "nothing binds $B"),
        (rule(call, constraints={"A": Count("==", 2, at)}), "$A is one node"),
        (rule(PatternAtom("f($A)", equivalences=("no",), at=at)), "no equivalence is called 'no'"),
        (rule(PatternAtom("f($A)", selector="if_statement", at=at)), "is of the kind 'if_statement'"),
        (rule(RegexAtom("(", at)), "the regular expression '(' is wrong"),
        (rule(call, focus="B", places={"focus": at}), "nothing binds $B"),
        (rule(Not(call), places={"rule": at}), "only what there is not"),
        (rule(Matches("u", at=at), utilities={"u": Utility("u", Matches("u", at=at))}), "uses itself"),
    ):
        told = problems(asked)
        assert len(told) == 1, told
        (problem,) = told
        assert wanted in problem.message
        assert problem.at == at
        assert problem.rule == "r"


def test_a_problem_with_a_hint() -> None:
    (problem,) = problems(rule(kind("return_stament")))
    assert problem.hint == "did you mean return_statement or try_statement or raise_statement?"


def test_an_id_is_used_once() -> None:
    (problem,) = problems(rule(pattern("f()")), rule(pattern("g()")))
    assert "is there already" in problem.message


# --- messages ---------------------------------------------------------------------------------------------


def test_a_message_has_the_code() -> None:
    asked = rule(pattern("g($$$A)"), message=r"$$$A of \$A, not $B")
    source = "g(1,\n  2)\n"
    (one,) = found(asked, source)
    assert message(asked, one, source.encode()) == "1, 2 of $A, not $B"


def test_a_name_of_another_alternative_is_nothing_in_a_message() -> None:
    asked = rule(either(pattern("g($A)"), pattern("h($B)")), message="[$A$B]")
    source = "h(1)\n"
    (one,) = found(asked, source)
    assert message(asked, one, source.encode()) == "[1]"
