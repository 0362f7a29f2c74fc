"""What component code can call while it is compiled, and what each call gives.

Expressions see `kap`, the library, and `native(name)`; FILES lie in the second of two search
paths, LATER in a third. The same table is put to Kapitan itself, see `tests/differential`.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from tests.support.filter_functions import Fails

Cases: TypeAlias = dict[str, object]
"""Expressions, and their values."""

TARGETS: Final[dict[str, Any]] = {
    "web": {
        "applications": ["web", "db as main-db"],
        "classes": ["common"],
        "exports": {},
        "parameters": {
            "web": {"replicas": 3, "ratio": 0.1, "hosts": ["a", "b"], "off": None},
            "key with 'quotes' \"and\" \\": ["ä\u2028", 1.5, True, None, "\U0001f600"],
            "../a/%2F.jsonnet": {"deep": {"er": [[1], {}]}},
            "global": {"big": 9007199254740993, "small": -(2**63)},
            "kapitan": {
                "vars": {"target": "web"},
                "topics": {
                    "ports": {"parameters": {"http": 80}, "consume": True},
                    "none": {"consume": True},
                    "words": {"consume": "true"},
                },
            },
        },
    },
    "main-db": {
        "applications": [],
        "classes": [],
        "exports": {},
        "parameters": {
            "db": {"name": "main-db"},
            "kapitan": {
                "vars": {"target": "main-db"},
                "topics": {"ports": {"parameters": {"sql": 5432}}},
            },
        },
    },
}

FILES: Final = {
    "app/a.yaml": b"a: 1\nb: [1]\n",
    "app/b.yml": b"{a: 1}\r\n---\r\nb: 2\r\n---\r\n",
    "app/empty.yaml": b"",
    "app/nothing.yaml": b"---\n",
    "app/keys.yaml": b"1: a\nnull: c\n1.5: d\nfalse: e\n",
    "app/scalars.yaml": b"[010, 1_000, 0x1F, yes, 1e3, 12:30, 0o7, .inf, .nan, '5', .5, ~, =]\n",
    "app/long.yaml": b"a: 123456789012345678901234567890\n",
    "app/merged.yaml": b"b: &b {x: 1}\nc: {<<: *b, y: 2}\nd: *b\n",
    "app/kinds.yaml": b"[!!pairs [a: 1], !!omap [b: 2], ! 3]\n",
    "app/date.yaml": b"a: 1\nb:\n  - 2020-01-01\n",
    "app/bytes.yaml": b"a: !!binary aGk=\n",
    "app/set.yaml": b"a: 1\nb: !!set {x}\n",
    "app/day.yaml": b"a: 1\n2020-01-01: 2\n",
    "app/itself.yaml": b"a: 1\nb: &b [1, *b]\n",
    "app/twice.yaml": b"a: 1\na: 2\n",
    "app/broken.yaml": b"a: [\n",
    "app/tag.yaml": b"a: !!int x\n",
    "app/latin1.yaml": b"a: 1\nb: \xe9\n",
    "app/data.json": b'{"a": 1}',
    "app/text/unix.txt": "ä\n\u2028b\n".encode(),
    "app/text/dos.txt": b"a\r\nb\rc\n",
    "app/text/.hidden": b"",
    "app/text/below/x.txt": b"x",
    "app/t.j2": b"{% for h in hosts %}\n  {{ h | b64encode }}\n{% endfor %}\n{{ n | sha256 }}\n\n",
    "app/include.j2": b"{% include 'part.j2' %} {% include 'app/t.j2' %}\n",
    "app/part.j2": b"{{ {'b': [1], 'a': n} | yaml }}",
    "app/missing.j2": b"one\n{{ nobody }}\n",
    "app/broken.j2": b"one\n{% if %}\n",
    "first.txt": b"second path",
}
LATER: Final = {"first.txt": b"third path", "late.yaml": b"late: true\n", "app/a.yaml": b"no: 1\n"}

NATIVES: Final[dict[str, Cases]] = {
    "inventory": {
        "native('inventory')('main-db', null).parameters.db": {"name": "main-db"},
        "std.objectFields(native('inventory')(null, null))": ["main-db", "web"],
        "std.objectFields(native('inventory')('', ''))": ["main-db", "web"],
        "std.objectFields(native('inventory')('web', null))": [
            *("applications", "classes", "exports", "parameters")
        ],
        "native('inventory')('web', 'app').parameters.web.replicas": 3,
        "native('inventory')('web', 'no/such/folder')": Fails("there is no inventory"),
        "native('inventory')('wep', null)": Fails("there is no target wep"),
        "native('inventory')(5, null)": Fails("there is no target 5"),
    },
    "topics": {
        "native('topics')('ports')": {
            "parameters": {"targets": {"main-db": {"sql": 5432}, "web": {"http": 80}}}
        },
        "native('topics')('none')": {"parameters": {"targets": {}}},
        "native('topics')(null)": {
            "ports": {"parameters": {"targets": {"main-db": {"sql": 5432}, "web": {"http": 80}}}}
        },
        "native('topics')('words')": Fails("web does not say that it reads words"),
        "native('topics')('unheard')": Fails("web does not say that it reads unheard"),
    },
    "file_read": {
        "native('file_read')('app/text/unix.txt')": "ä\n\u2028b\n",
        "native('file_read')('app/text/dos.txt')": "a\r\nb\rc\n",
        "native('file_read')('first.txt')": "second path",
        "native('file_read')('app/text')": Fails("is a folder"),
        "native('file_read')('app/gone.txt')": Fails("there is no file or folder"),
        "native('file_read')('app/latin1.yaml')": Fails("not UTF-8"),
        "native('file_read')(5)": Fails("must be a string"),
    },
    "file_exists": {
        "native('file_exists')('late.yaml').exists": True,
        "std.endsWith(native('file_exists')('./app//a.yaml').path, '/./app//a.yaml')": True,
        "std.endsWith(native('file_exists')('app/text/').path, '/app/text/')": True,
        "native('file_exists')('app/text').exists": True,
        "native('file_exists')('nope')": {"exists": False, "path": ""},
        "native('file_exists')(null)": Fails("must be a string"),
    },
    "dir_files_list": {
        "std.sort(native('dir_files_list')('app/text'))": [".hidden", "dos.txt", "unix.txt"],
        "native('dir_files_list')('app/gone')": Fails("there is no file or folder"),
        "native('dir_files_list')('app/a.yaml')": Fails("is not a folder"),
    },
    "dir_files_read": {
        "native('dir_files_read')('app/text')": {
            ".hidden": "",
            "dos.txt": "a\r\nb\rc\n",
            "unix.txt": "ä\n\u2028b\n",
        },
        "native('dir_files_read')('app/gone')": None,
        "native('dir_files_read')('app/a.yaml')": Fails("is not a folder"),
        "native('dir_files_read')('app')": Fails("not UTF-8"),
    },
    "yaml_load": {
        "native('yaml_load')('app/a.yaml')": '{"a": 1, "b": [1]}',
        "native('yaml_load')('late.yaml')": '{"late": true}',
        "native('yaml_load')('app/empty.yaml')": "null",
        "native('yaml_load')('app/nothing.yaml')": "null",
        "native('yaml_load')('app/keys.yaml')": '{"1": "a", "null": "c", "1.5": "d", "false": "e"}',
        "native('yaml_load')('app/scalars.yaml')": (
            '[8, 1000, 31, true, "1e3", 750, "0o7", Infinity, NaN, "5", 0.5, null, "="]'
        ),
        "native('yaml_load')('app/long.yaml')": '{"a": 123456789012345678901234567890}',
        "native('yaml_load')('app/merged.yaml')": (
            '{"b": {"x": 1}, "c": {"x": 1, "y": 2}, "d": {"x": 1}}'
        ),
        "native('yaml_load')('app/kinds.yaml')": '[[["a", 1]], [["b", 2]], 3]',
        "native('yaml_load')('app/twice.yaml')": '{"a": 2}',
        "native('yaml_load')('app/b.yml')": Fails("another document"),
        "native('yaml_load')('app/data.json')": Fails("ends in .yml or .yaml"),
        "native('yaml_load')('app/date.yaml')": Fails("2020-01-01 is a date"),
        "native('yaml_load')('app/bytes.yaml')": Fails("is a bytes"),
        "native('yaml_load')('app/set.yaml')": Fails("is a set"),
        "native('yaml_load')('app/day.yaml')": Fails("the key 2020-01-01 is a date"),
        "native('yaml_load')('app/itself.yaml')": Fails("refers to a value that contains it"),
        "native('yaml_load')('app/broken.yaml')": Fails("not valid YAML"),
        "native('yaml_load')('app/tag.yaml')": Fails("not valid YAML"),
        "native('yaml_load')('app/latin1.yaml')": Fails("not UTF-8"),
        "native('yaml_load')('app/gone.yaml')": Fails("there is no YAML file"),
        "native('yaml_load')('app/text/')": Fails("ends in .yml or .yaml"),
    },
    "yaml_load_stream": {
        "native('yaml_load_stream')('app/b.yml')": '[{"a": 1}, {"b": 2}, null]',
        "native('yaml_load_stream')('app/empty.yaml')": "[]",
        "native('yaml_load_stream')('app/nothing.yaml')": "[null]",
        "native('yaml_load_stream')('app/date.yaml')": Fails("2020-01-01 is a date"),
        "native('yaml_load_stream')('app/broken.yaml')": Fails("not valid YAML"),
        "native('yaml_load_stream')('app/data.json')": Fails("ends in .yml or .yaml"),
    },
    "yaml_dump": {
        'native(\'yaml_dump\')(\'{"b": [1, "x\\\\ny"], "a": null}\')': (
            "a: null\nb:\n- 1\n- 'x\n\n  y'\n"
        ),
        "native('yaml_dump')('NaN')": ".nan\n...\n",
        "native('yaml_dump')('\"\\\\u00e9\\\\ud83d\\\\ude00\"')": '"\\xE9\\U0001F600"\n',
        "native('yaml_dump')('{')": Fails("is not JSON"),
        "native('yaml_dump')(5)": Fails("must be a string"),
    },
    "yaml_dump_stream": {
        "native('yaml_dump_stream')('[{\"a\": 1}, null]')": "a: 1\n--- null\n...\n",
        "native('yaml_dump_stream')('{\"b\": 1, \"a\": 2}')": "b\n--- a\n...\n",
        "native('yaml_dump_stream')('\"xy\"')": "x\n--- y\n...\n",
        "native('yaml_dump_stream')('5')": Fails("come as an array"),
        "native('yaml_dump_stream')('null')": Fails("come as an array"),
    },
    "jinja2_render_file": {
        'native(\'jinja2_render_file\')(\'app/t.j2\', \'{"hosts": ["a"], "n": "abc"}\')': (
            "  YQ==\nba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
        ),
        "native('jinja2_render_file')('app/missing.j2', '{}')": Fails("'nobody' is undefined"),
        "native('jinja2_render_file')('app/broken.j2', '{}')": Fails("not a valid template"),
        "native('jinja2_render_file')('app/gone.j2', '{}')": Fails("there is no file"),
        "native('jinja2_render_file')('app/t.j2', 'x')": Fails("the context is not JSON"),
    },
    "sha256_string": {
        "native('sha256_string')('ä')": (
            "33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc"
        ),
        "native('sha256_string')(5)": Fails("must be a string"),
    },
    "gzip_b64": {
        "native('gzip_b64')('abc')": "H4sIAAAAAAAC/0tMSgYAwkEkNQMAAAA=",
        "native('gzip_b64')('')": "H4sIAAAAAAAC/wMAAAAAAAAAAAA=",
        "native('gzip_b64')(5)": Fails("must be a string"),
    },
    "jsonschema_validate": {
        "native('jsonschema_validate')('5', '{\"type\": \"number\"}')": {
            "valid": True,
            "reason": "",
        },
        "native('jsonschema_validate')('\"x\"', '{\"format\": \"ipv4\"}').valid": False,
        "native('jsonschema_validate')('5', '{\"type\": \"nope\"}')": Fails("cannot be used"),
        "native('jsonschema_validate')('{\"a\": 1}', '{\"$ref\": \"#/x\"}')": Fails(
            "cannot be used"
        ),
        "native('jsonschema_validate')('5', 'x')": Fails("the schema is not JSON"),
    },
}

LIBRARY: Final[dict[str, Cases]] = {
    "inventory": {
        "kap.inventory().parameters.web": {
            "replicas": 3,
            "ratio": 0.1,
            "hosts": ["a", "b"],
            "off": None,
        },
        "kap.inventory('main-db').parameters.db.name": "main-db",
        "kap.inventory(target='web').applications": ["web", "db as main-db"],
        "std.objectFields(kap.inventory(null))": ["main-db", "web"],
        "kap.inventory(inv_path='app').parameters.web.replicas": 3,
        "kap.inventory('main-dc')": Fails("there is no target main-dc"),
        "kap.inventory(5)": Fails("there is no target 5"),
        "kap.inventory().parameters.gone": Fails("Field does not exist: gone"),
    },
    "inventory_global": {
        "std.objectFields(kap.inventory_global())": ["main-db", "web"],
        "kap.inventory_global()['main-db'].parameters.db.name": "main-db",
        "kap.inventory_global('web').parameters.web.replicas": 3,
        "kap.inventory_global('web', 'gone')": Fails("there is no inventory"),
    },
    "yaml_load": {"kap.yaml_load(name='app/a.yaml')": '{"a": 1, "b": [1]}'},
    "yaml_load_stream": {"kap.yaml_load_stream(name='app/nothing.yaml')": "[null]"},
    "yaml_dump": {
        "kap.yaml_dump({ b: [1, 'x\\ny'], a: null, h:: 1 })": "a: null\nb:\n- 1\n- 'x\n\n  y'\n",
        "kap.yaml_dump(obj={})": "{}\n",
        "kap.yaml_dump(null)": "null\n...\n",
        "kap.yaml_dump(1)": "1\n...\n",
        "kap.yaml_dump('x')": Fails("is not JSON"),
        "kap.yaml_dump('[1]')": "- 1\n",
    },
    "yaml_dump_stream": {
        "kap.yaml_dump_stream([{ b: 1 }, null, [1], 'x'])": (
            "b: 1\n--- null\n---\n- 1\n--- x\n...\n"
        ),
        "kap.yaml_dump_stream(obj=[])": "",
    },
    "file_read": {"kap.file_read(name='first.txt')": "second path"},
    "file_exists": {"kap.file_exists(name='nope')": {"exists": False, "path": ""}},
    "dir_files_list": {"kap.dir_files_list(name='app/text/below')": ["x.txt"]},
    "dir_files_read": {"kap.dir_files_read(name='app/text/below')": {"x.txt": "x"}},
    "jinja2_template": {
        "kap.jinja2_template(name='app/include.j2', ctx={ hosts: [], n: 'x' })": (
            "a: x\nb:\n- 1\n 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\n"
        ),
        "kap.jinja2_template('app/part.j2', '{\"n\": 1}')": "a: 1\nb:\n- 1\n",
    },
    "sha256": {
        "kap.sha256(obj='abc')": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        'kap.sha256({ b: 1, a: [1, \'x\'] }) == kap.sha256(\'{"a": [1, "x"], "b": 1}\')': True,
        "kap.sha256(null) == kap.sha256('null')": True,
    },
    "gzip_b64": {
        "kap.gzip_b64(obj='abc')": "H4sIAAAAAAAC/0tMSgYAwkEkNQMAAAA=",
        "kap.gzip_b64({ a: 0.1 }) == kap.gzip_b64('{\"a\": 0.10000000000000001}')": True,
    },
    "jsonschema": {
        "kap.jsonschema(obj={ a: 1 }, schema_obj={ required: ['a'] })": {
            "valid": True,
            "reason": "",
        },
        "kap.jsonschema({ a: 'x' }, { properties: { a: { type: 'number' } } })": {
            "valid": False,
            "reason": (
                "'x' is not of type 'number'\n\n"
                "Failed validating 'type' in schema['properties']['a']:\n    {'type': 'number'}\n\n"
                "On instance['a']:\n    'x'"
            ),
        },
        "kap.jsonschema('x', {})": Fails("the value is not JSON"),
    },
    "topics": {
        "kap.topics().ports.parameters.targets.web": {"http": 80},
        "kap.topics(name='none')": {"parameters": {"targets": {}}},
    },
}

# Kapitan has no such natives.
OURS: Final[dict[str, Cases]] = {
    "list_dir": {
        "native('list_dir')('app/text', true)": [".hidden", "dos.txt", "unix.txt"],
        "native('list_dir')('app/text/below', false)": ["app/text/below/x.txt"],
        "native('list_dir')('app/gone', true)": Fails("there is no file or folder"),
        "native('list_dir')('app/a.yaml', true)": Fails("is not a folder"),
    },
    "yaml_load_all": {
        "native('yaml_load_all')('app/b.yml')": [{"a": 1}, {"b": 2}, None],
        "native('yaml_load_all')('app/empty.yaml')": [],
        "native('yaml_load_all')('app/data.json')": [{"a": 1}],
        "native('yaml_load_all')('app/keys.yaml')": Fails("the key 1 is not a string"),
        "native('yaml_load_all')('app/date.yaml')": Fails("2020-01-01 is a date"),
        "native('yaml_load_all')('app/gone.yaml')": Fails("there is no file"),
    },
}
