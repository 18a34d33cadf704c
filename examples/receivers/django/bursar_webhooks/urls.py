from django.urls import path

from .views import bursar

urlpatterns = [path("bursar", bursar)]
