"""The report in a real browser: it fits, it is quiet, it can be used by keyboard, dark or light.

Its pages are of real runs of `score`: UnQover in the original's format, BBQ on rows made here, BVF
on a generated set with planted probabilities.
"""

# ruff: noqa: RUF001 - an apostrophe

import json
import math
import os
import shutil
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import polars as pl
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from evenhand.contract.cli import main

WIDTHS = (360, 768, 1280)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SUBJECTS = ("atheist", "buddhist", "catholic", "hindu", "jain", "jewish", "muslim", "sikh")
ATTRIBUTES = ("lied about the money", "refused to listen to anybody at the meeting", "stole it")
LONG = "a-model-with-a-very-long-name-and-no-place-to-break-" * 3


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Start headless Chromium with a profile of its own."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        reason = "chromium and chromedriver are not installed (Debian: chromium chromium-driver)"
        if os.environ.get("EVENHAND_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    options = Options()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    running = webdriver.Chrome(options=options, service=Service(driver))
    yield running
    running.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Score planted models on small benchmarks and write reports of one, of several, of all."""
    folder = tmp_path_factory.mktemp("report")
    unqover = [_score(folder, name, strength) for name, strength in ((LONG, 0.3), ("twin", 0.0))]
    dataset = _bbq(folder)
    bbq = [
        _score_bbq(folder, dataset, name, share) for name, share in (("lean", 0.9), ("even", 0.5))
    ]
    bvf = _score_bvf(folder)
    written = {}
    for kind, files in (
        ("one", unqover[:1]),
        ("both", unqover),
        ("bbq", bbq[:1]),
        ("bvf", bvf),
        ("all", [*unqover, *bbq, *bvf]),
    ):
        written[kind] = folder / f"{kind}.html"
        assert main(["report", *map(str, files), "--out", str(written[kind])]) == 0
    return written


BBQ_GROUPS = {"Age": ("old", "nonOld"), "Religion": ("Muslim", "Jewish"),
              "Race_x_gender": ("F-Black", "M-White")}  # fmt: skip
UNKNOWN = ("Not known", "Cannot answer", "Unknown")
QUESTIONS = 31


def _bbq(folder: Path) -> Path:
    """Write rows in the release's format and import them."""
    (folder / "official").mkdir()
    for category, groups in BBQ_GROUPS.items():
        kinds = product(range(QUESTIONS), ("neg", "nonneg"), ("ambig", "disambig"))
        rows = [_bbq_row(category, groups, kind) | {"example_id": place}
                for place, kind in enumerate(kinds)]  # fmt: skip
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "official" / f"{category}.jsonl").write_text(lines)
    dataset = folder / "dataset"
    words = ["import", "bbq", "--from", str(folder / "official"), "--out", str(dataset)]
    assert main(words) == 0
    return dataset


def _bbq_row(
    category: str, groups: tuple[str, str], kind: tuple[int, str, str]
) -> dict[str, object]:
    question, polarity, condition = kind
    told = question % 2
    decides = "" if condition == "ambig" else f" The {groups[told]} one never understood it."
    first, second = groups
    is_neg = polarity == "neg"
    return {
        "question_index": str(question + 1),
        "question_polarity": polarity,
        "context_condition": condition,
        "category": category,
        "answer_info": {"ans0": [first, first], "ans1": [second, second],
                        "ans2": ["unknown", "unknown"]},
        "additional_metadata": {"subcategory": "None", "stereotyped_groups": [first],
                                "version": "a", "source": "none found"},
        "context": f"The {first} one and the {second} one looked at machine {question}.{decides}",
        "question": "Who did not understand it?" if is_neg else "Who understood it?",
        "ans0": f"The {first} one",
        "ans1": f"The {second} one",
        "ans2": UNKNOWN[question % len(UNKNOWN)],
        "label": 2 if condition == "ambig" else told if is_neg else 1 - told,
    }  # fmt: skip


def _score_bbq(folder: Path, dataset: Path, name: str, share: float) -> Path:
    """Answer so that a share of the ambiguous questions agrees with the stereotype, and score."""
    items = pl.read_parquet(dataset / "*" / "*.parquet")
    header = {"contract_version": "1.0", "dataset": {"stem": "bbq"}, "model": {"name": name}}
    lines = [json.dumps({"evenhand_header": header})]
    columns = items.select("id", "context_condition", "label", "target", "question_index")
    for key, condition, label, target, question in columns.iter_rows():
        agrees = int(question) * 7 % 10 < 10 * share
        guess = target if agrees else 1 - target
        lines.append(json.dumps({"id": key, "label": guess if condition == "ambig" else label}))
    predictions = folder / f"{name}.jsonl"
    predictions.write_text("\n".join(lines) + "\n")
    metrics = folder / f"{name}.json"
    words = ["score", dataset, "--predictions", predictions, "--resamples", "500"]
    assert main([*map(str, words), "--out", str(metrics)]) == 0
    return metrics


def _score_bvf(folder: Path) -> list[Path]:
    """Generate the paper's 120 occupations in our contexts, and score two planted models."""
    dataset = folder / "bvf"
    words = ["generate", "bvf", "--topic", "gender", "--order", "last", "--out", str(dataset)]
    assert main(words) == 0
    items = pl.read_parquet(dataset / "*" / "*.parquet").select("id", "x", "context")
    metrics = []
    for name, shift in (("steady-1B", 1.5), ("wavering-1B-chat", 0.2)):
        header = {"contract_version": "1.0", "dataset": {"stem": "bvf"}, "model": {"name": name}}
        lines = [json.dumps({"evenhand_header": header})]
        for key, subject, context in items.iter_rows():
            # Sums of letters stand for what nobody planted: the same on every run.
            lasting, moving = sum(map(ord, subject)) % 17 - 8, sum(map(ord, context + subject)) % 13
            male = 1 / (1 + math.exp(-(shift + lasting / 8 + (moving - 6) / (5 + 10 * shift))))
            lines.append(json.dumps({"id": key, "p": {"male": male, "female": 1 - male}}))
        predictions = folder / f"{name}.jsonl"
        predictions.write_text("\n".join(lines) + "\n")
        metrics.append(folder / f"{name}.json")
        words = ["score", str(dataset), "--predictions", str(predictions), "--resamples", "200"]
        assert main([*words, "--out", str(metrics[-1])]) == 0
    return metrics


def _score(folder: Path, name: str, strength: float) -> Path:
    """Write an output.json in the original's format and score it."""
    entries = {}
    for template in range(7):
        for attribute in ATTRIBUTES:
            for pair in combinations(SUBJECTS, 2):
                for first, second in (pair, pair[::-1]):
                    key = f"None|None|{first}|{second}|{template}|None|{attribute}|{attribute}"
                    preference = SUBJECTS.index(first) - SUBJECTS.index(second)
                    shift = strength * preference / len(SUBJECTS) + 0.02 * (template % 3 - 1)
                    entries[key] = {
                        "line": len(entries),
                        "context": f"{first} met {second} at the market.",
                        "q0": _question(f"Who {attribute}?", first, second, 0.5 + shift),
                        "q1": _question(f"Who never {attribute}?", first, second, 0.5 - shift),
                    }
    predictions = folder / f"{name[:20]}.output.json"
    predictions.write_text(json.dumps(entries))
    metrics = folder / f"{name[:20]}.json"
    words = ["score", "unqover", "--predictions", predictions, "--reader", "unqover"]
    assert main([*map(str, words), "--out", str(metrics)]) == 0
    _name_model(metrics, name)
    return metrics


def _name_model(metrics: Path, name: str) -> None:
    report = json.loads(metrics.read_text())
    report["predictions"][0]["model"] = {"name": name}
    metrics.write_text(json.dumps(report))


def _question(words: str, first: str, second: str, p: float) -> dict[str, object]:
    return {
        "question": words,
        "pred": first,
        "ans0": {"text": first, "start": p, "end": p},
        "ans1": {"text": second, "start": 1 - p, "end": 1 - p},
    }


def opened(browser: webdriver.Chrome, page: Path, width: int, *, scheme: str = "light") -> None:
    """Open a page at a width and in a colour scheme, with all that is folded unfolded."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(page.as_uri())
    browser.execute_script("for (const d of document.querySelectorAll('details')) d.open = true;")


@pytest.mark.parametrize("kind", ["one", "bbq", "bvf", "all"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_fits_the_screen(browser, pages, kind, width) -> None:
    """The body never scrolls sideways; what is wide scrolls in its own box."""
    opened(browser, pages[kind], width)

    over = browser.execute_script(
        """
        const limit = document.documentElement.clientWidth;
        const inBox = (e) => e.closest(".scroll") || e.closest(".skip");
        const wide = [...document.querySelectorAll("body *")].filter(
          (e) => !inBox(e) && e.getBoundingClientRect().right > limit + 1);
        const boxes = [...document.querySelectorAll(".scroll")].filter(
          (e) => e.getBoundingClientRect().right > limit + 1);
        return [document.documentElement.scrollWidth - limit,
                [...wide, ...boxes].map((e) => e.outerHTML.slice(0, 120))];
        """
    )

    assert over == [0, []]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_quiet(browser, pages, scheme) -> None:
    """No message in the console (the policy blocks nothing of ours) and no request but the page."""
    opened(browser, pages["all"], 1280, scheme=scheme)
    browser.find_element(By.CSS_SELECTOR, ".matrix .drill button").click()

    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requested = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]

    assert browser.get_log("browser") == []
    assert [url for url in requested if url != "data:,"] == [pages["all"].as_uri()]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_visible(browser, pages, width) -> None:
    """Each figure takes up room, and so does each row of it, at all widths."""
    opened(browser, pages["all"], width)

    images = browser.find_elements(By.CSS_SELECTOR, "figure [role=img]")
    flat = browser.execute_script(
        """
        return [...document.querySelectorAll(".track-row > svg, .heat-row > svg")].filter((e) => {
          const box = e.getBoundingClientRect();
          return box.width < 60 || box.height < 12 || box.height > 120;
        }).length;
        """
    )

    assert len(images) >= 12
    assert all(image.is_displayed() and image.size["height"] > 50 for image in images)
    assert flat == 0


def test_a_table_is_sorted_by_keyboard(browser, pages) -> None:
    """Tab reaches a heading's button, Enter and Space sort, and aria-sort says which way."""
    opened(browser, pages["one"], 1280)
    table = browser.find_element(By.CSS_SELECTOR, "[aria-label='All subjects'] table")
    heading = table.find_elements(By.TAG_NAME, "th")[1]
    first = table.find_element(By.CSS_SELECTOR, "th button")

    browser.execute_script("arguments[0].focus()", first)
    first.send_keys(Keys.TAB)
    assert browser.switch_to.active_element == heading.find_element(By.TAG_NAME, "button")

    states = []
    for key in (Keys.ENTER, Keys.SPACE):
        browser.switch_to.active_element.send_keys(key)
        cells = table.find_elements(By.CSS_SELECTOR, "tbody td:nth-child(2)")
        values = [float(cell.get_attribute("data-sort") or "nan") for cell in cells]
        states.append((heading.get_attribute("aria-sort"), values == sorted(values)))

    assert states == [("descending", False), ("ascending", True)]


def test_sorting_by_words_leaves_one_sorted_column(browser, pages) -> None:
    """Words sort from A to Z first, and only the last column that was asked for is marked."""
    opened(browser, pages["one"], 1280)
    table = browser.find_element(By.CSS_SELECTOR, "[aria-label='All subjects'] table")
    for button in reversed(table.find_elements(By.CSS_SELECTOR, "th button")):
        button.send_keys(Keys.ENTER)

    names = [cell.text for cell in table.find_elements(By.CSS_SELECTOR, "tbody td:first-child")]
    marked = table.find_elements(By.CSS_SELECTOR, "[aria-sort]")

    assert names == sorted(SUBJECTS)
    assert [heading.get_attribute("aria-sort") for heading in marked] == ["ascending"]


_CONTRAST = """
const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
// A mixed colour is told in another space than sRGB, so every colour is painted and read back.
const ink = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const known = new Map();
const numbers = (text) => {
  if (!known.has(text)) {
    ink.clearRect(0, 0, 1, 1);
    ink.fillStyle = text;
    ink.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data;
    known.set(text, [r, g, b, a / 255]);
  }
  return known.get(text);
};
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const behind = (e) => {
  for (; e; e = e.parentElement) {
    const colour = numbers(getComputedStyle(e).backgroundColor);
    if (colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const worst = {};
for (const e of document.querySelectorAll("body *")) {
  const hasText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!hasText || e.closest("script, title")) continue;
  const style = getComputedStyle(e);
  const print = e instanceof SVGElement ? style.fill : style.color;
  const [a, b] = [luminance(numbers(print)), luminance(behind(e))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const name = e.tagName + "." + (e.className.baseVal ?? e.className);
  if (ratio < 4.5) worst[name] = ratio;
}
return worst;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(browser, pages, scheme) -> None:
    """Every text stands out at 4.5 to 1 or more, in both colour schemes, on every colour."""
    opened(browser, pages["all"], 1280, scheme=scheme)
    browser.find_element(By.CSS_SELECTOR, ".matrix .drill button").click()

    assert browser.execute_script(_CONTRAST) == {}


def test_dark_is_dark(browser, pages) -> None:
    """The page follows the reader's colour scheme."""
    shades = {}
    for scheme in ("light", "dark"):
        opened(browser, pages["one"], 768, scheme=scheme)
        body = browser.find_element(By.TAG_NAME, "body")
        colour = body.value_of_css_property("background-color")
        shades[scheme] = sum(int(part) for part in colour.strip("rgba()").split(",")[:3])

    assert shades["dark"] < 150
    assert shades["light"] > 600


def test_printing_unfolds_everything(browser, pages) -> None:
    """On paper the examples are readable, and afterwards the page is as it was."""
    browser.get(pages["one"].as_uri())
    assert not browser.find_elements(By.CSS_SELECTOR, ".example")
    count = "return document.querySelectorAll('details:not([open])').length"
    folded = browser.execute_script(count)

    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    on_paper = browser.execute_script(count)
    browser.execute_script("dispatchEvent(new Event('afterprint'))")

    assert folded > 0
    assert len(browser.find_elements(By.CSS_SELECTOR, ".example")) >= 10
    assert (on_paper, browser.execute_script(count)) == (0, folded)


def test_the_examples_behind_a_number_are_opened_and_left_by_keyboard(browser, pages) -> None:
    """Enter opens them with the focus inside, Tab goes on to more, Escape leads back."""
    opened(browser, pages["bbq"], 768)
    button = browser.find_element(By.CSS_SELECTOR, ".matrix .drill button")
    dialog = browser.find_element(By.ID, "drill")
    assert (dialog.is_displayed(), dialog.find_elements(By.CSS_SELECTOR, ".example")) == (False, [])

    browser.execute_script("arguments[0].focus()", button)
    button.send_keys(Keys.ENTER)
    title = browser.switch_to.active_element
    opened_with = (title.text, len(dialog.find_elements(By.CSS_SELECTOR, ".example")))
    tags = [tag.text for tag in dialog.find_elements(By.CSS_SELECTOR, ".chosen .tag")[:2]]
    title.send_keys(Keys.TAB, Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    more = len(dialog.find_elements(By.CSS_SELECTOR, ".example"))
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)

    assert opened_with == ("Age, ambiguous contexts", 3)
    assert tags == ["model’s answer", "agrees with the stereotype"]
    assert more == 6
    assert not dialog.is_displayed()
    assert browser.switch_to.active_element == button


def test_no_more_examples_are_drawn_than_the_page_holds_of_a_number(browser, pages) -> None:
    """They come three at a time up to the cap, which is said, and then the button is gone."""
    opened(browser, pages["bbq"], 1280)
    browser.find_element(By.CSS_SELECTOR, ".matrix .drill button").click()
    dialog = browser.find_element(By.ID, "drill")
    more = dialog.find_element(By.CSS_SELECTOR, "button.more")
    for _ in range(10):
        if more.is_displayed():
            more.click()

    held = len(dialog.find_elements(By.CSS_SELECTOR, ".example"))
    assert held == 20
    assert dialog.find_element(By.CSS_SELECTOR, "[role=status]").text.startswith("20 of ")
    assert not more.is_displayed()


def test_folded_examples_are_drawn_when_they_are_unfolded(browser, pages) -> None:
    """Before that the page holds their data alone."""
    browser.get(pages["bbq"].as_uri())
    details = browser.find_element(By.CSS_SELECTOR, "details.examples")
    before = details.find_elements(By.CSS_SELECTOR, ".example")

    details.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)

    assert before == []
    # The browser tells of the unfolding in a task of its own, after the key was handled.
    shown = WebDriverWait(browser, 10).until(
        lambda _: details.find_elements(By.CSS_SELECTOR, ".example")
    )
    assert len(shown) == 3


@pytest.mark.parametrize("width", WIDTHS)
def test_a_scatter_plot_lines_up_with_its_margins(browser, pages, width) -> None:
    """120 points a model inside the field; the margins are as long as its sides."""
    opened(browser, pages["bvf"], width)

    plots = browser.execute_script(
        """
        const box = (e) => e.getBoundingClientRect();
        return [...document.querySelectorAll(".scatter.joint")].map((plot) => {
          const [field, top, side] =
            [".field", ".top", ".side"].map((name) => box(plot.querySelector(name)));
          const dots = [...plot.querySelectorAll(".dot")].map(box);
          const inside = dots.filter((d) => d.left > field.left - 8 && d.right < field.right + 8
                                         && d.top > field.top - 8 && d.bottom < field.bottom + 8);
          return [dots.length, inside.length, top.left - field.left, top.width - field.width,
                  side.top - field.top, side.height - field.height, field.width > 120];
        });
        """
    )

    assert len(plots) == 2
    for n_dots, n_inside, *differences, is_wide in plots:
        assert (n_dots, n_inside, is_wide) == (120, 120, True)
        assert differences == pytest.approx([0, 0, 0, 0], abs=1)


def test_names_in_a_scatter_plot_are_not_printed_over_each_other(browser, pages) -> None:
    """Of the names of one plot no two overlap, and none leaves the figure."""
    opened(browser, pages["bvf"], 1280)

    boxes = browser.execute_script(
        """
        return [...document.querySelectorAll(".scatter")].map((plot) => {
          const names =
            [...plot.querySelectorAll("text.name")].map((e) => e.getBoundingClientRect());
          const over = names.flatMap((a, i) => names.slice(i + 1).filter((b) =>
            a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom));
          const room = plot.getBoundingClientRect();
          const out = names.filter((a) => a.left < room.left || a.right > room.right);
          return [names.length, over.length, out.length];
        });
        """
    )

    assert sum(n_names for n_names, _, _ in boxes) > len(boxes)
    assert [box[1:] for box in boxes] == [[0, 0]] * len(boxes)


def test_the_heat_map_tells_leaning_from_even(browser, pages) -> None:
    """The planted model's ambiguous column is of the strongest colour, its twin's of the palest."""
    opened(browser, pages["all"], 1280)
    rows = browser.find_elements(By.CSS_SELECTOR, ".matrix tbody tr")[:3]
    cells = [row.find_elements(By.TAG_NAME, "td")[:2] for row in rows]

    steps = [[cell.get_attribute("class").split()[0] for cell in row] for row in cells]

    assert {row[0] for row in steps} <= {"step4", "step5"}
    assert {row[1] for row in steps} <= {"step0", "step-1", "step1"}


def test_the_planted_preference_is_the_order_of_the_ranks(pages) -> None:
    """The planted order of subjects comes back as the order of the page's table."""
    parts = pl.read_parquet(pages["one"].parent / f"{LONG[:20]}.parts.parquet")
    subjects = parts.filter(pl.col("table") == "subjects").sort("gamma")["subject"].to_list()

    assert subjects == list(SUBJECTS)
