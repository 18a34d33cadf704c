import json
import logging
import time

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from bursar_webhooks.handlers import handle
from bursar_webhooks.models import BursarEvent

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Handles the events of Bursar that have come: all that are there, or, with --forever, those that come too."

    def add_arguments(self, parser):
        parser.add_argument("--forever", action="store_true")

    def handle(self, *args, forever=False, **options):
        while True:
            for event_id in list(
                BursarEvent.objects.filter(done_at=None).order_by("received_at").values_list("id", flat=True)
            ):
                try:
                    self.work_off(event_id)
                except Exception:
                    logger.exception(event_id)  # it stays, and is tried again the next time
            if not forever:
                return
            time.sleep(1)

    @transaction.atomic
    def work_off(self, event_id):
        """What your handler writes and that the event is done are one commit; of two workers one waits."""
        event = BursarEvent.objects.select_for_update().get(id=event_id)
        if event.done_at is None:
            handle(json.loads(event.body))
            event.done_at = timezone.now()
            event.save(update_fields=["done_at"])
