"""Built-in functions that policies may call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FORBIDDEN = frozenset({"http.send", "net.lookup_ip_addr", "opa.runtime"})
"""They reach the network or the machine: refused with every engine."""

_SUPPORTED = {
    "": "abs ceil concat contains count endswith floor format_int indexof indexof_n "
    "intersection is_array is_boolean is_null is_number is_object is_set "
    "is_string lower max min print product replace round sort split sprintf "
    "startswith substring sum to_number trace trim trim_left trim_prefix "
    "trim_right trim_space trim_suffix type_name union upper walk",
    "array": "concat reverse slice",
    "base64": "decode encode is_valid",
    "base64url": "decode encode encode_no_pad",
    "bits": "and lsh negate or rsh xor",
    "glob": "match quote_meta",
    "graph": "reachable reachable_paths",
    "hex": "decode encode",
    "json": "filter is_valid marshal marshal_with_options match_schema patch remove "
    "unmarshal verify_schema",
    "net": "cidr_contains cidr_expand cidr_is_valid",
    "numbers": "range range_step",
    "object": "filter get keys remove subset union union_n",
    "rand": "intn",
    "regex": "find_all_string_submatch_n find_n is_valid match replace split template_match",
    "semver": "compare is_valid",
    "strings": "any_prefix_match any_suffix_match count replace_n reverse",
    "time": "add_date clock date diff format now_ns parse_duration_ns parse_ns "
    "parse_rfc3339_ns weekday",
    "units": "parse parse_bytes",
    "urlquery": "decode decode_object encode encode_object",
    "uuid": "parse rfc4122",
    "yaml": "is_valid marshal unmarshal",
}
_MISSING = {
    "": "all any cast_array cast_boolean cast_null cast_object cast_set cast_string "
    "re_match set_diff",
    "array": "flatten",
    "crypto.hmac": "equal md5 sha1 sha256 sha512",
    "crypto": "md5 parse_private_keys sha1 sha256",
    "crypto.x509": "parse_and_verify_certificates parse_and_verify_certificates_with_options "
    "parse_certificate_request parse_certificates parse_keypair "
    "parse_rsa_private_key",
    "graphql": "is_valid parse parse_and_verify parse_query parse_schema schema_is_valid",
    "io.jwt": "decode decode_verify encode_sign encode_sign_raw verify_eddsa verify_es256 "
    "verify_es384 verify_es512 verify_hs256 verify_hs384 verify_hs512 "
    "verify_ps256 verify_ps384 verify_ps512 verify_rs256 verify_rs384 "
    "verify_rs512",
    "net": "cidr_contains_matches cidr_intersects cidr_merge cidr_overlap",
    "providers.aws": "sign_req",
    "regex": "globs_match",
    "rego.metadata": "chain rule",
    "rego": "parse_module",
    "strings": "render_template split_n",
    "uri": "is_valid parse",
}


def _names(families: Mapping[str, str]) -> frozenset[str]:
    return frozenset(
        f"{family}.{name}" if family else name
        for family, names in families.items()
        for name in names.split()
    )


SUPPORTED = _names(_SUPPORTED)
"""Those of the engine in the process, as tried by tests; calls of any other are refused."""

MISSING = _names(_MISSING)
"""Those that the program opa has besides."""
