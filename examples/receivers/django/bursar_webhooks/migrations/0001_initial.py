from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="BursarEvent",
            fields=[
                ("id", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("body", models.TextField()),
                ("received_at", models.DateTimeField(auto_now_add=True)),
                ("done_at", models.DateTimeField(db_index=True, null=True)),
            ],
        ),
    ]
