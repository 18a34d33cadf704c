module example.com/bursar-webhooks

go 1.22
