import * as z from 'zod/mini'
import { builtInToolIds } from '../../packages/agent-runtime/src/ports/built-in-tool-ids.ts'
import { parseToolDefinitions } from '../../packages/agent-runtime/src/skills/definitions/parse-tool-definitions.ts'
import type { ToolDefinition } from '../../packages/agent-runtime/src/skills/definitions/tool-definition.ts'
import { ExecEntry, HttpEntry } from '../../packages/agent-runtime/src/skills/definitions/tool-schemas.ts'
import { code, generatedNote, page, table } from './markdown.ts'
import { fieldRows, type JsonSchema } from './schema-text.ts'

const [http, exec] = parseToolDefinitions([
  { id: 'http', description: 'Defaults', method: 'POST', path: '/' },
  { id: 'exec', description: 'Defaults', command: ['true'] },
]) as [ToolDefinition & { type: 'http' }, ToolDefinition & { type: 'exec' }] // as they were given
const seconds = (milliseconds: number) => `${milliseconds / 1000}`

const anyTool = {
  id: 'Unique across all skills and the built-in tools.',
  description: 'What the model reads to know when to call it.',
  parameters:
    'JSON Schema of the arguments, with type `object`. A list of `{name, in, required, …}` as in OpenAPI, or an object of schemas by name, works too. At most 64 KiB. May also be called `input_schema`.',
  effects: '',
  idempotent:
    '`true`: a call whose outcome is unknown is repeated. `false`: a person decides. Default: `true` for `read`, otherwise `false`.',
  repeat: 'Earlier name of `idempotent`: `safe` for `true`, `once` for `false`.',
}

const httpFields: Readonly<Record<keyof HttpEntry, string>> = {
  ...anyTool,
  method: 'Default `GET`.',
  path: 'Begins with `/` or `{{base}}`. `{name}`, `{{name}}` and `:name` are replaced by parameters. Values are encoded, so they cannot add a segment.',
  effects: 'Default: `read` for GET, HEAD and OPTIONS, otherwise `external`.',
  timeout: `Seconds. Default ${seconds(http.timeoutMs)}.`,
  headers: 'Sent with each call. `{{NAME}}` is replaced by a credential that the skill requires.',
  list: 'Shortens a long JSON list to at most 2,000 tokens: counts, the first rows, and how to narrow the list. Parameters with `in: row` are not sent. They filter rows by the field of the same name, and `offset` is the first row to show.',
  verify:
    'How to find out whether a call took effect, if the server stopped before its result was recorded: see [Undo and verify](../guides/undo.md#http-tools-of-skills).',
  undo: 'How to take a call back, when somebody undoes its run: see [Undo and verify](../guides/undo.md#http-tools-with-undo).',
  auth: 'How a credential is sent. If the credential is missing, the call fails and nothing is sent.',
}

const authFields: Readonly<Record<string, string>> = {
  'auth.credential': 'Name of an environment variable. If it is not set: a key of the config.',
  'auth.name': 'Name of the header or parameter. Default: `Authorization`; in a query `api_key`.',
  'auth.scheme':
    'Word before the credential. Default: `Bearer` in `Authorization`, otherwise none. `Basic` encodes `user:password`.',
}

const listFields: Readonly<Record<string, string>> = {
  'list.rows': 'Key of the list in the response. Default: the response is the list.',
  'list.fields': 'Fields that are shown.',
  'list.count_by': 'Fields whose values are counted.',
}

const verifyFields: Readonly<Record<string, string>> = {
  'verify.method': 'Default `GET`.',
  'verify.path':
    'As `path`. Any parameter may be in it, and `{idempotency_key}` is the key of the call. Headers and `auth` are those of the tool.',
  'verify.when':
    'JSON Schema of the JSON body if the call took effect. Another body, and 404, mean that it did not. Default: each status of 200 to 299 means that it did.',
  'undo.method': 'Default `DELETE`.',
  'undo.path':
    'As `verify.path`. `{result.<path>}` is a part of the result of the call, such as `{result.data.id}`. The request has no body.',
}

const execFields: Readonly<Record<keyof ExecEntry, string>> = {
  ...anyTool,
  command:
    'Program and first arguments. No shell is used, and shell code (`sh -c`) is rejected. An entry with a `/`, or with the name of a file of the skill, is a script. Scripts must be inside the skill folder, also after following links.',
  args: 'More arguments. One entry is always one argument, whatever value replaces `{{name}}`. If that parameter is missing, the entry and the option before it are left out. A value that begins with `-` is rejected, unless it is a number or follows `--`.',
  stdin: `With \`json\`, the program receives all parameters as one JSON object. Default \`${exec.stdin}\`.`,
  env: 'Environment variables, or keys of the config, that the program gets in addition to `PATH`, `LANG` and `HOME` (the workspace). Provider keys, and tokens of the platform and its channels, are never passed.',
  timeout: `Seconds. Default ${seconds(exec.timeoutMs)}. Then the program, and all programs that it started, are stopped.`,
  max_output: `Bytes of stdout and stderr together that the result contains, at most the runtime's \`maxResultBytes\`. Default ${exec.maxOutputBytes}.`,
  output: `With \`json\`, stdout is parsed into \`data\`. If both would be too large, \`stdout\` is left out. Default \`${exec.output}\`.`,
  network:
    'Hosts that the program calls. In a sandbox, a program without hosts has no network. A program with any host has the whole network.',
  effects: 'Default: `external` with `network`, otherwise `write`.',
}

/** The page of the files of a skill, from the schemas that they are read with. */
export function skillsPage(): string {
  return page(
    generatedNote,
    ...fileSections(),
    ...manifestSections(),
    ...httpToolSections(),
    ...execToolSections(),
    ...otherSections(),
  )
}

function fileSections(): string[] {
  return [
    '# Skills',
    'A skill is a folder `skills/<id>/` in the data home. To write one, start with ' +
      '[Skill author](../getting-started/skill-author.md). If a folder breaks a rule, the skill is disabled, and ' +
      '[`listSkills`](platform/skills.md#listskills) shows the reason. A change takes effect with the next run.',
    table(
      ['File', 'Contents'],
      [
        [
          '`SKILL.md`',
          'The manifest as YAML front matter, or in the first fenced `yaml` block. The rest is instructions for the model',
        ],
        ['`skill.yaml`', 'The manifest, if SKILL.md is missing or has none'],
        [
          '`tools.yaml`',
          '`tools`: a list of at most 200 [HTTP tools](#http-tool) and [exec tools](#exec-tool). The manifest may contain them instead',
        ],
        ['`config.schema.json`', 'JSON Schema of the config, with an object at the top'],
        ['`SETUP.md`', 'Steps that a person does once'],
        ['others', 'Scripts, and files that the model may open with `read_skill`'],
      ],
    ),
    'Each of these files has at most 1 MiB. YAML files use version 1.2, with at most 262,144 characters and 50 aliases. Duplicate keys ' +
      'and unknown tags are rejected.',
  ]
}

function manifestSections(): string[] {
  return [
    '## Manifest',
    table(
      ['Key', 'Required', ''],
      [
        ['`name`', 'yes', 'At most 200 characters. Agents name the skill by this name or by its folder'],
        [
          '`description`',
          'yes',
          'What the skill does, and when to use it. The prompt contains only this until the model opens the skill',
        ],
        ['`version`', '', 'Semantic version. `metadata.version` works too'],
        ['`api_base`', '', 'Base address of the HTTP tools: see [below](#base-address)'],
        [
          '`credentials`',
          '',
          'Required environment variables: a list of names, a list of `{name}` or `{env}`, or a mapping with the names as keys',
        ],
        ['`metadata`', '', 'Any values. `metadata.required_env` works like `credentials`'],
        ['`tools`', '', 'As in `tools.yaml`, if that file is missing'],
      ],
    ),
    'Other keys are ignored, so skills of the open SKILL.md standard load without changes.',
    '## Base address',
    'The first of these values is the base address:',
    '1. `base` or `api_base` of the config of the skill\n2. `api_base` of the manifest\n3. `skillBase` of the runtime',
    'The address starts with http or https and has no user and no password. HTTP tools are disabled if there is no base address, or if ' +
      'it is the platform itself or the metadata service of a cloud. The list of skills says why.',
    'A private address is allowed in the config and in `skillBase`. In a manifest, only a literal private address or `localhost` is ' +
      'allowed: a public name that resolves to a private address is rejected.',
  ]
}

function httpToolSections(): string[] {
  return [
    '## HTTP tool',
    fields(HttpEntry, { ...httpFields, ...verifyFields, ...authFields, ...listFields }),
    'Each property of `parameters` has `in`: `path`, `query`, `header` or `body`. Without `in`, a parameter goes to its place in the ' +
      'path. If it has no place there, it goes into the query for GET, HEAD, DELETE and OPTIONS, and into the body otherwise. ' +
      'The model cannot set headers of the connection, or headers that identify the caller. Without `parameters`, a tool takes ' +
      '`{query?, body?}` and the parameters of its path.',
    'Result: `{status, ok, data}`. `data` is JSON, or text, or null with a `note`. The result counts as untrusted. Redirects are ' +
      'followed only within the origin, at most 5. Each call has an `Idempotency-Key`.',
  ]
}

function execToolSections(): string[] {
  return [
    '## Exec tool',
    fields(ExecEntry, execFields),
    'An entry with `command` is an exec tool, also without `type: exec`. The program runs in the workspace. A parameter with ' +
      '`format: workspace-path` must be a path inside the workspace.',
    'Result: `{ok, exitCode, stdout, stderr, truncated, timedOut, durationMs, data?}`. The result counts as untrusted. What the ' +
      'program can reach: [Agent security](../guides/agent-security.md#programs).',
  ]
}

function otherSections(): string[] {
  return [
    '## Config',
    'The config is stored in `configs/<id>.json` (mode 0600) and checked by `config.schema.json`. These properties are secret, at any ' +
      'depth: those with `format: password` or `writeOnly`, and those whose `$ref` points outside of the schema. The API shows them ' +
      'as booleans. To keep a secret when you save, leave it out or send `true`. Without a schema, properties are secret if their ' +
      'names end in `key`, `token`, `secret`, `password` or `credential`. The config of a removed skill stays for its next ' +
      'installation. A skill of the same name from another store or file starts with an empty config, and a changed `api_base` ' +
      'or store clears the secrets.',
    '## Built-in tools',
    `${[...builtInToolIds].map(code).join(', ')}. Every agent has them, with these exceptions:`,
    '- `read_skill` needs at least one skill.\n- `web_fetch` needs hosts in the setting `web_fetch_hosts`.\n' +
      '- `send_message` needs `report_to`, or a run that answers in a chat.\n' +
      '- `ask_user`, `run_code` and `search_documents` need the fields `ask_user`, `code` and `collections` of the agent.',
    'The `tools` of an agent can narrow this list. An agent with more than 40 tools also has `tool_search` and `call_tool`, which find ' +
      'and call the tools that are not in its prompt. No skill can use these names.',
    '## Store',
    'A registry is JSON: `{"skills": [{"slug", "name", "description", "version"?, "url", "sha256"?}]}`. `url` may be relative. It is ' +
      'the address of Markdown (a SKILL.md) or of a zip archive, with the files at its top or in one folder. An archive has at most ' +
      '2,000 entries and 50 MiB unpacked.',
    "A `slug` is the name of the skill's folder: 1 to 64 letters, digits, `_`, `-` or `.`, starting with a letter or digit. Entries with " +
      'other slugs are left out, and so are the name of the lockfile, names of devices on Windows (`con`, `aux.tools`) and names that ' +
      'end in a dot. `skills/skills.lock.json` lists the installed skills, with a SHA-256 of each file.',
  ]
}

function fields(schema: z.core.$ZodType, texts: Readonly<Record<string, string>>): string {
  // draft 2020-12, of which zod's types and ours are two descriptions
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const rows = fieldRows(json).map(({ name, type, required }) => {
    return [
      code(name),
      name === 'parameters' ? 'JSON Schema' : type,
      required ? 'yes' : '',
      texts[name] ?? '',
    ]
  })
  return table(['Key', 'Type', 'Required', ''], rows)
}
