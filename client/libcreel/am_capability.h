/* SPDX-License-Identifier: Apache-2.0 */
/* am_capability.h - inside libcreel: sizes of containers that an application master requests */
#ifndef CREEL_LIBCREEL_AM_CAPABILITY_H
#define CREEL_LIBCREEL_AM_CAPABILITY_H

#include <stdbool.h>

#include "client/include/creel.h"
#include "common/proto/creel.pb-c.h"

/* Returns EACH as a message, which the caller frees with creel__resource__free_unpacked. */
Creel__Resource *am_capability_new(const struct creel_resource *each);
bool am_capability_is(const Creel__Resource *capability, const struct creel_resource *each);

#endif
