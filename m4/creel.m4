# SPDX-License-Identifier: Apache-2.0

# CREEL_WARNINGS(FLAGS) - keep the warning flags that this compiler knows
AC_DEFUN([CREEL_WARNINGS], [
WARNING_CFLAGS=
for flag in $1; do
    AC_MSG_CHECKING([whether $CC takes $flag])
    save_cflags=$CFLAGS
    CFLAGS="$CFLAGS -Werror $flag"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int main(void) { return 0; }]])],
        [AC_MSG_RESULT([yes]); WARNING_CFLAGS="$WARNING_CFLAGS $flag"],
        [AC_MSG_RESULT([no])])
    CFLAGS=$save_cflags
done
])

# CREEL_PACKAGE(VARIABLE, MODULE, DEBIAN-PACKAGE) - find MODULE, or stop with the name of the package to install
AC_DEFUN([CREEL_PACKAGE], [
PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 is missing: apt-get install $3])])
])

# CREEL_SANITIZERS - --enable-sanitizers=address,undefined
AC_DEFUN([CREEL_SANITIZERS], [
AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers=LIST],
        [build with these, comma-separated: address, undefined, thread])],
    [], [enable_sanitizers=no])
SANITIZER_CFLAGS=
AS_IF([test "x$enable_sanitizers" = xyes], [enable_sanitizers=address,undefined])
AS_IF([test "x$enable_sanitizers" != xno],
    [SANITIZER_CFLAGS="-fsanitize=$enable_sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=undefined"])
AC_SUBST([SANITIZER_CFLAGS])
])

# CREEL_FUZZERS - --enable-fuzzers builds tests/fuzz with libFuzzer (clang)
AC_DEFUN([CREEL_FUZZERS], [
AC_ARG_ENABLE([fuzzers],
    [AS_HELP_STRING([--enable-fuzzers], [build the libFuzzer targets (needs CC=clang)])],
    [], [enable_fuzzers=no])
FUZZER_CFLAGS=
AS_IF([test "x$enable_fuzzers" = xyes], [
    FUZZER_CFLAGS="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
    save_cflags=$CFLAGS
    CFLAGS="$CFLAGS -fsanitize=fuzzer-no-link"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int main(void) { return 0; }]])], [],
        [AC_MSG_ERROR([--enable-fuzzers needs clang and libclang-rt-14-dev: configure CC=clang])])
    CFLAGS=$save_cflags
])
AC_SUBST([FUZZER_CFLAGS])
AM_CONDITIONAL([FUZZERS], [test "x$enable_fuzzers" = xyes])
])
