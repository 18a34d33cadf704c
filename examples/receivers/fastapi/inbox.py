"""The inbox: what came is kept under its webhook-id before it is answered, so that a repeat changes nothing and a crash loses nothing.

SQLite, so that the example runs by itself: yours is a table of your database.
"""

import json
import logging
import os
import sqlite3
import threading
from contextlib import closing

path = os.environ.get("INBOX", "inbox.db")
working = threading.Lock()


def connect() -> sqlite3.Connection:
    db = sqlite3.connect(path)
    db.execute(
        "create table if not exists inbox (id text primary key, body text not null, done integer not null default 0)"
    )
    return db


def keep(event_id: str, body: bytes) -> None:
    """Keeps an event. Of a repeat the id is there already."""
    with closing(connect()) as db, db:
        db.execute("insert or ignore into inbox (id, body) values (?, ?)", (event_id, body.decode()))


def work_off(handle) -> None:
    """Handles what is kept and not done. What fails stays, and is tried again the next time."""
    with working, closing(connect()) as db:
        for event_id, body in db.execute("select id, body from inbox where done = 0 order by rowid").fetchall():
            try:
                handle(json.loads(body))
            except Exception:
                logging.exception(event_id)
                continue
            db.execute("update inbox set done = 1 where id = ?", (event_id,))
            db.commit()
