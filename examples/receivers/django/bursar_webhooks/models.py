from django.db import models


class BursarEvent(models.Model):
    """The inbox: what came is kept under its webhook-id before it is answered. Of a repeat the id is there already."""

    id = models.CharField(primary_key=True, max_length=64)
    body = models.TextField()
    received_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, db_index=True)
