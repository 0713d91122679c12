"""The pages of a ladder in a real browser: what only a browser sends, such as forms and their origin."""

from pathlib import Path
from typing import Any

from tests.ladder.running import FIRST, running
from tests.web.conftest import chromium

__all__ = ["chromium"]

WRONG = "class First:\n    def choose(self, state, limit):\n        return nothing\n"


def test_a_student_and_the_teacher_use_the_pages(tmp_path: Path, chromium: Any) -> None:
    with running(tmp_path / "ladder") as ladder:
        tokens = ladder.tokens()
        student, teacher = (chromium.new_context(locale="zh-TW").new_page() for _ in range(2))
        errors: list[str] = []
        for tab, token in ((student, tokens["anna"]), (teacher, ladder.teacher)):
            tab.on("pageerror", lambda error: errors.append(str(error)))
            tab.set_default_timeout(240_000)
            tab.goto(f"{ladder.address}/mine")
            tab.fill("[name=token]", token)
            tab.click("main button")
        for name, text, shown in (("wrong.py", WRONG, "NameError"), ("agent.py", FIRST, "已接受")):
            student.set_input_files("[name=file]", {"name": name, "mimeType": "text/plain", "buffer": text.encode()})
            student.click("[name=send]")
            student.wait_for_selector(f"#upload-status:has-text('{shown}')")
        # The lists on the page are updated without a reload.
        student.wait_for_selector("[data-live] >> td:has-text('agent.py')")
        teacher.click("text=停止新的對局")
        teacher.click("text=繼續")
        teacher.on("dialog", lambda dialog: dialog.accept())
        teacher.click("tr:has-text('Anna') >> text=取消資格")
        teacher.wait_for_selector("text=恢復資格")
        student.click("text=登出")
        student.wait_for_selector("text=登入")
        assert errors == []
