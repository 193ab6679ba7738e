"""Settings of the workers: the example's settings, with scrapy-redis and a shared store."""

import os

from example.settings import *  # noqa: F403 - extends the settings of the example

SPIDER_MODULES = ["example.distributed.spider"]

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
NAME = os.environ.get("CRAWL_NAME", "example")

# All workers share one queue and one set of seen URLs.
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_PERSIST = True
SCHEDULER_QUEUE_KEY = f"{NAME}:queue"
SCHEDULER_DUPEFILTER_KEY = f"{NAME}:seen"
REDIS_START_URLS_KEY = f"{NAME}:start"

# All workers share one policy for each origin.
ROBOTS1994_STORE = os.environ.get("ROBOTS_URL", REDIS_URL) + f"?prefix={NAME}:robots"
