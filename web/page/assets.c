/* SPDX-License-Identifier: Apache-2.0 */
/* assets.c - serves the files in asset_bytes.h, which the build generates from them */
#include "web/page/assets.h"

#include <string.h>

#include "web/page/asset_bytes.h"

struct asset_file {
    const char *name, *path, *content_type;
    const unsigned char *bytes;
    size_t size;
};

static const struct asset_file files[] = {
    [ASSET_STYLE] = { "style.css", "/static/" STYLE_CSS_HASH "/style.css", "text/css; charset=utf-8",
                      style_css, sizeof(style_css) },
    [ASSET_SCRIPT] = { "page.js", "/static/" PAGE_JS_HASH "/page.js", "text/javascript; charset=utf-8",
                       page_js, sizeof(page_js) },
    [ASSET_ICON] = { "icon.svg", "/static/" ICON_SVG_HASH "/icon.svg", "image/svg+xml", icon_svg,
                     sizeof(icon_svg) },
};

const char *asset_path(enum asset asset)
{
    return files[asset].path;
}

void asset_serve(struct exchange *exchange)
{
    const char *name = exchange_capture(exchange, 1);

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        const struct asset_file *file = &files[i];

        if (strcmp(file->name, name) != 0)
            continue;
        if (strcmp(file->path, exchange_path(exchange)) == 0)
            exchange_add_header(exchange, "Cache-Control", "public, max-age=31536000, immutable");
        exchange_answer(exchange, 200, file->content_type, file->bytes, file->size);
        return;
    }
    exchange_refuse(exchange, 404, "There is no such file.");
}
