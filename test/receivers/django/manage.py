"""A project for the app of the example, with nothing in it that the app does not need."""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    BURSAR_WEBHOOK_SECRET=os.environ["BURSAR_WEBHOOK_SECRET"],
    DATABASES={
        "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["INBOX"], "OPTIONS": {"timeout": 20}}
    },
    INSTALLED_APPS=["bursar_webhooks"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
    ROOT_URLCONF="project_urls",
    SECRET_KEY="of a test",
    USE_TZ=True,
)

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
