"""Other tools' files of BBQ, small and made here."""

import io
import json
import random
import zipfile

from fuzzing.bases import Base, Row, lines_of, packed, parquet_of, table_of

_LETTERS = "ABC"


def _prompt(item: Row) -> str:
    options = "\n".join(f"{letter}. {item[f'ans{n}']}" for n, letter in enumerate(_LETTERS))
    return f"{item['context']}\nQuestion: {item['question']}\n{options}\nAnswer:"


def bases(items: list[Row], drawn: random.Random) -> list[Base]:
    """Return undamaged files of every tool."""
    labels = [drawn.randrange(3) for _ in items]
    texts = [row[f"ans{label}"] if n % 3 else _LETTERS[label]
             for n, (row, label) in enumerate(zip(items, labels, strict=True))]  # fmt: skip
    texts[5] = "No idea at all"
    pairs = list(zip(items, texts, strict=True))
    logged = [_sample(n, *pair) for n, pair in enumerate(pairs)]
    samples = [_lm_eval(n, item, drawn) for n, item in enumerate(items)]
    requests = {"requests.jsonl": lines_of([_request(item) for item in items])}
    state = {
        "adapter_spec": {"method": "multiple_choice_joint"},
        "request_states": [_helm(n, *pair) for n, pair in enumerate(pairs)],
    }
    table = [
        {
            "Category": item["category"],
            "Example ID": item["example_id"],
            "Context": item["context"],
            "Model answer": text,
        }
        for item, text in pairs
    ]
    openai = lines_of([_openai(n, *pair) for n, pair in enumerate(pairs)])
    files = {
        "samples_bbq.jsonl": lines_of(samples),
        "samples_old.jsonl": json.dumps([_old(sample) for sample in samples], indent=2).encode(),
        "samples_text.jsonl.gz": lines_of([_generated(n, *pair) for n, pair in enumerate(pairs)]),
        "scenario_state.json": json.dumps(state, indent=1).encode(),
        "log.json": json.dumps(_inspect(logged)).encode(),
        "log.eval": _eval(logged, zipfile.ZIP_DEFLATED),
        "log_plain.eval": _eval(logged, zipfile.ZIP_STORED),
        "details.parquet": parquet_of([_details(n, *pair, drawn) for n, pair in enumerate(pairs)]),
        "openai.jsonl": openai,
        "anthropic.jsonl": lines_of([_anthropic(*pair) for pair in pairs]),
        "table.csv": table_of(table, ";"),
        "table.tsv.gz": table_of(table, "\t"),
        "table.jsonl": lines_of(table),
        "table.parquet": parquet_of(table),
    }
    found = [Base("bbq", name, packed(name, content)) for name, content in files.items()]
    found.append(Base("bbq", "batch.jsonl", openai, beside=requests, given=("requests.jsonl",)))
    preds = lines_of([_unifiedqa(*pair) for pair in pairs])
    return [*found, Base("bbq", "preds_all.jsonl", preds, reader="unifiedqa:race")]


def _lm_eval(number: int, item: Row, drawn: random.Random) -> Row:
    doc = {
        name: item[name]
        for name in (
            "example_id",
            "category",
            "context",
            "question",
            "ans0",
            "ans1",
            "ans2",
            "label",
        )
    }
    prompt = f"{item['context']}\n\nQ: {item['question']}\nA:"
    arguments = {
        f"gen_args_{n}": {"arg_0": prompt, "arg_1": f" {item[f'ans{n}']}"} for n in range(3)
    }
    answers = [[str(-drawn.random()), "False"] for _ in range(3)]
    return {
        "doc_id": number,
        "doc": doc,
        "target": str(item["label"]),
        "arguments": arguments,
        "resps": [[own] for own in answers],
        "filtered_resps": answers,
        "filter": "none",
    }


def _old(sample: Row) -> Row:
    """Return a sample as version 0.4.2 wrote it."""
    arguments = [list(own.values()) for own in sample["arguments"].values()]
    answers = [[float(own[0]), False] for own in sample["filtered_resps"]]
    return {
        "doc_id": sample["doc_id"],
        "doc": sample["doc"],
        "arguments": arguments,
        "filtered_resps": answers,
    }


def _generated(number: int, item: Row, text: str) -> Row:
    doc = {
        "category": item["category"],
        "example_id": str(item["example_id"]),
        "context": item["context"],
        "question": item["question"],
    }
    arguments = {"gen_args_0": {"arg_0": _prompt(item), "arg_1": {"until": ["\n"]}}}
    return {
        "doc_id": number,
        "doc": doc,
        "arguments": arguments,
        "resps": [[text]],
        "filtered_resps": [text],
        "filter": "none",
    }


def _helm(number: int, item: Row, text: str) -> Row:
    options = [item[f"ans{n}"] for n in range(3)]
    return {
        "instance": {
            "input": {"text": f"{item['context']}\nQuestion: {item['question']}"},
            "references": [{"output": {"text": own}, "tags": []} for own in options],
            "id": f"id{number}",
        },
        "train_trial_index": 0,
        "output_mapping": dict(zip(_LETTERS, options, strict=True)),
        "request": {"model": "made-up", "prompt": _prompt(item)},
        "result": {"success": True, "completions": [{"text": f" {text}", "tokens": []}]},
    }


def _sample(number: int, item: Row, text: str) -> Row:
    options = [item[f"ans{(n + number) % 3}"] for n in range(3)]
    message = {"role": "assistant", "content": text}
    return {
        "id": f"{item['category']}_{item['example_id']:05d}",
        "epoch": 1,
        "input": f"Context: {item['context']}\n\nQuestion: {item['question']}",
        "choices": options,
        "output": {"model": "made-up", "choices": [{"message": message, "stop_reason": "stop"}]},
        "scores": {"choice": {"value": "I", "answer": ""}},
        "metadata": {"source_id": item["example_id"], "category": item["category"]},
    }


def _inspect(samples: list[Row]) -> Row:
    own = {"task": "bbq", "model": "made-up", "dataset": {"samples": len(samples)}}
    return {"version": 2, "status": "success", "eval": own, "samples": samples}


def _eval(samples: list[Row], method: int) -> bytes:
    stream = io.BytesIO()
    log = _inspect(samples)
    members = {f"samples/{own['id']}_epoch_1.json": own for own in log.pop("samples")}
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, value in {**members, "header.json": log}.items():
            archive.writestr(
                zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), json.dumps(value), method
            )
    return stream.getvalue()


def _details(number: int, item: Row, text: str, drawn: random.Random) -> Row:
    """Return a row of log-probabilities, or of text."""
    options = [item[f"ans{n}"] for n in range(3)]
    is_scored = number % 2 == 0
    doc = {
        "query": _prompt(item),
        "choices": [f" {own}" for own in options],
        "id": str(number),
        "specific": {"category": item["category"], "example_id": item["example_id"]},
    }
    scores = [round(-drawn.random(), 5) for _ in range(3)] if is_scored else []
    return {
        "doc": doc,
        "metric": {"acc": 0},
        "model_response": {"text": [] if is_scored else [text], "logprobs": scores},
    }


def _request(item: Row) -> Row:
    messages = [{"role": "user", "content": _prompt(item)}]
    return {
        "custom_id": item["id"],
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "made-up", "messages": messages},
    }


def _openai(number: int, item: Row, text: str) -> Row:
    failed = {"custom_id": item["id"], "response": None, "error": {"code": "batch_expired"}}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    body = {"model": "made-up", "choices": [choice]}
    good = {"custom_id": item["id"], "response": {"status_code": 200, "body": body}, "error": None}
    return failed if number == 4 else good


def _anthropic(item: Row, text: str) -> Row:
    message = {
        "model": "made-up",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }
    return {"custom_id": item["id"], "result": {"type": "succeeded", "message": message}}


def _unifiedqa(item: Row, text: str) -> Row:
    text = item[f"ans{_LETTERS.index(text)}"] if text in _LETTERS else text
    info = {f"ans{n}": [item["answer_text"][n], item["answer_group"][n]] for n in range(3)}
    own = {name: item[name] for name in ("category", "example_id", "ans0", "ans1", "ans2")}
    return {**own, "answer_info": info, "unifiedqa-t5-11b_pred_race": text.lower()}
