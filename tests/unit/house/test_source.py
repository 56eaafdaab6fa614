"""What holds for the whole source, and neither lint nor types nor import contracts can see."""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = (".ci", "daemon", "deploy", "firmware_protocol", "systemd", "tests")
MAX_LINES = 500
# Libraries that touch the world: each is imported in one module of io, if at all.
WORLD = ("iotcore", "mcap", "paho", "serial")
# What is not pure in throwin; all else is, whatever it will be called.
IMPURE = {"__main__.py", "app", "io", "report", "sim", "web"}
# Split, so that this file does not find itself.
MACHINE_PATHS = re.compile("|".join(["/wo" + "rk/", "/ro" + "ot/", r"\.\./sha" + "red"]))
MAY_NAME_SHARED = ".ci/run"


@cache
def files() -> tuple[Path, ...]:
    """Give the project's own files: the top folder's, and all in the folders of the layout."""
    found = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    return tuple(sorted(path for path in found if "__pycache__" not in path.parts))


def python_files(*folders: str) -> list[Path]:
    return [p for p in files() if p.suffix == ".py" and p.relative_to(ROOT).parts[0] in folders]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def place(path: Path, node: ast.stmt | ast.expr) -> str:
    return f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"


def findings(
    judge: Callable[[ast.AST], ast.stmt | ast.expr | None], *folders: str
) -> Iterator[str]:
    for path in python_files(*folders):
        for node in ast.walk(tree_of(path)):
            found = judge(node)
            if found is not None:
                yield place(path, found)


def vacuous(node: ast.AST) -> ast.Assert | None:
    """Give the node if it is an assert that may not be able to fail."""
    never_false = (
        ast.IfExp,
        ast.Constant,
        ast.Tuple,
        ast.List,
        ast.GeneratorExp,
        ast.Lambda,
        ast.JoinedStr,
    )
    if isinstance(node, ast.Assert) and isinstance(node.test, never_false):
        return node
    return None


def as_test(node: ast.AST) -> ast.FunctionDef | None:
    """Give the node if it is a test."""
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
        return node
    return None


def unexplained(node: ast.AST) -> ast.FunctionDef | None:
    """Give the node if it is a test without a one-sentence docstring or a telling name."""
    test = as_test(node)
    if test is None:
        return None
    docstring = ast.get_docstring(test)
    is_sentence = docstring is not None and docstring.split("\n\n")[0].rstrip().endswith(".")
    return None if is_sentence and re.fullmatch(r"test(_[a-z0-9]+){2,}", test.name) else test


def idle(node: ast.AST) -> ast.FunctionDef | None:
    """Give the node if it is a test that checks nothing."""
    test = as_test(node)
    if test is None:
        return None
    for inner in ast.walk(test):
        if isinstance(inner, ast.Assert | ast.With):
            return None
        if isinstance(inner, ast.Call) and re.search(
            "assert|check|expect|verify|fail", ast.unparse(inner.func)
        ):
            return None
    return test


def imports_of(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Give the top-level packages that a module imports."""
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Import():
                for alias in node.names:
                    yield alias.name.split(".")[0], node
            case ast.ImportFrom(module=str(module), level=0):
                yield module.split(".")[0], node


@pytest.mark.parametrize(
    "source",
    ["assert a if b else c", "assert True", "assert (a, 'text')", "assert (x for x in y)"],
)
def test_assert_that_can_not_fail_is_found(source: str) -> None:
    """An assert on a conditional expression, a constant, a tuple or a generator is vacuous."""
    assert vacuous(ast.parse(source).body[0]) is not None


def test_asserts_anywhere_can_fail() -> None:
    """No assert of ours is vacuous."""
    assert list(findings(vacuous, *FOLDERS)) == []


def test_tests_everywhere_say_their_fact() -> None:
    """Each test has a name of situation and outcome and a docstring that is a sentence."""
    assert list(findings(unexplained, "tests")) == []


def test_tests_everywhere_check_something() -> None:
    """Each test asserts, expects an exception, or calls what does."""
    assert list(findings(idle, "tests")) == []


def test_modules_written_by_hand_stay_short() -> None:
    """No module has more than 500 lines, but for generated ones."""
    long = []
    for path in python_files(*FOLDERS):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MAX_LINES and "GENERATED" not in text[:400]:
            long.append(path.relative_to(ROOT).as_posix())
    assert long == []


def test_exceptions_from_lint_and_types_have_their_reason() -> None:
    """What silences a check in one line says on that line why."""
    silencer = re.compile(r"#\s*(noqa\b|type: ignore)(:?\s*[A-Z]+[0-9]+,?|\[[a-z-]+\])*\s*(.*)")
    found = []
    for path in python_files(*FOLDERS):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = silencer.search(line)
            if match is not None and path != Path(__file__) and not match.group(3):
                found.append(f"{path.relative_to(ROOT).as_posix()}:{number}")
    assert found == []


def test_names_in_python_avoid_the_banned_word() -> None:
    """No name of ours says accuracy: it would not say whether sigma, CEP, 2DRMS or R95."""
    banned = "accu" + "racy"
    found = []
    for path in python_files(*FOLDERS):
        for node in ast.walk(tree_of(path)):
            match node:
                case (
                    ast.Name(id=name)
                    | ast.Attribute(attr=name)
                    | ast.arg(arg=name)
                    | ast.FunctionDef(name=name)
                    | ast.ClassDef(name=name)
                    | ast.keyword(arg=str(name))
                ) if banned in name.lower():
                    found.append(f"{path.relative_to(ROOT).as_posix()}: {name}")
    assert found == []


def test_files_anywhere_name_no_path_of_a_machine() -> None:
    """No file names a folder that only one machine has; CI's script alone may look beside it."""
    found = []
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        if name == MAY_NAME_SHARED:
            continue
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{name}: {match.group()}" for match in MACHINE_PATHS.finditer(text)]
    assert found == []


@pytest.mark.parametrize("library", WORLD)
def test_library_that_touches_the_world_is_imported_in_one_module(library: str) -> None:
    """Each outside library has at most one module of ours that knows it, and it is in io."""
    modules = [
        path.relative_to(ROOT / "daemon" / "throwin")
        for path in python_files("daemon")
        if library in {name for name, _ in imports_of(path)}
    ]
    assert [path for path in modules[:1] if path.parts[0] == "io"] == modules


def test_module_that_is_pure_imports_no_clock_and_no_world() -> None:
    """What the import contract forbids the pure packages holds for new ones from the first day."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (forbidden,) = (set(c["forbidden_modules"]) for c in contracts if "pure" in c["name"])
    found = [
        f"{place(path, node)}: {name}"
        for path in python_files("daemon")
        if path.relative_to(ROOT / "daemon" / "throwin").parts[0] not in IMPURE
        for name, node in imports_of(path)
        if name in forbidden
    ]
    assert found == []


def test_tagwire_alone_needs_the_standard_library_only() -> None:
    """The tag protocol's codec can be copied anywhere: it imports nothing but itself."""
    known = sys.stdlib_module_names | {"tagwire"}
    foreign = [
        f"{place(path, node)}: {name}"
        for path in python_files("firmware_protocol")
        if "tagwire" in path.parts
        for name, node in imports_of(path)
        if name not in known
    ]
    assert foreign == []
