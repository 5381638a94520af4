/* SPDX-License-Identifier: Apache-2.0 */
/* log_news.c - states of the logs of ended applications, until the RM has acknowledged them */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/core/state.h"

static void drop(struct agent *agent, struct log_news *news)
{
    TAILQ_REMOVE(&agent->log_news, news, link);
    free(news);
}

void log_news_add(struct agent *agent, const char *app_id, Creel__LogAggregation state)
{
    struct log_news *news = mem_new0(struct log_news);

    snprintf(news->app_id, sizeof(news->app_id), "%s", app_id);
    news->state = state;
    TAILQ_INSERT_TAIL(&agent->log_news, news, link);
}

void log_news_acknowledged(struct agent *agent, uint64_t acked_seq)
{
    struct log_news *news, *next;

    TAILQ_FOREACH_SAFE(news, &agent->log_news, link, next) {
        if (news->first_sent_seq == 0 || news->first_sent_seq > acked_seq)
            return; /* later ones were not sent before this one */
        drop(agent, news);
    }
}

void log_news_again(struct agent *agent)
{
    struct log_news *news;

    TAILQ_FOREACH(news, &agent->log_news, link)
        news->first_sent_seq = 0;
}

void log_news_free(struct agent *agent)
{
    while (!TAILQ_EMPTY(&agent->log_news))
        drop(agent, TAILQ_FIRST(&agent->log_news));
}
