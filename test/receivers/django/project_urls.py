from django.urls import include, path

urlpatterns = [path("webhooks/", include("bursar_webhooks.urls"))]
