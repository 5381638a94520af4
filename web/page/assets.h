/* SPDX-License-Identifier: Apache-2.0 */
/* assets.h - style sheet, script and icon: files that are compiled into the program, with their hash in the
 * path */
#ifndef CREEL_WEB_PAGE_ASSETS_H
#define CREEL_WEB_PAGE_ASSETS_H

#include "web/http/exchange.h"

enum asset { ASSET_STYLE, ASSET_SCRIPT, ASSET_ICON };

/* Returns "/static/0123456789abcdef/style.css". The path changes with the content, so that browsers may cache
 * the file forever. */
const char *asset_path(enum asset asset);
/* Handles /static/HASH/NAME. The request with an old hash gets the current content, which is not cached. */
void asset_serve(struct exchange *exchange);

#endif
