/* SPDX-License-Identifier: Apache-2.0 */
/* assets.h - style sheet, script and icon: files that are compiled into the program, with their hash in the
 * path */
#ifndef CREEL_WEB_PAGE_ASSETS_H
#define CREEL_WEB_PAGE_ASSETS_H

#include "web/http/exchange.h"

enum asset { ASSET_STYLE, ASSET_SCRIPT, ASSET_ICON };

/* "/static/0123456789abcdef/style.css": changes with the content, so that browsers may keep it forever. */
const char *asset_path(enum asset asset);
/* Handler of /static/HASH/NAME. An old hash gets the present content, which is not to be kept. */
void asset_serve(struct exchange *exchange);

#endif
