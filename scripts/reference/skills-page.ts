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
    'JSON Schema of the arguments, of type `object`; also a list of `{name, in, required, …}` as in OpenAPI, or an object of schemas by name. At most 64 KiB.',
  effects: '',
  repeat: `Whether a call that may have run can be made again. Default: \`safe\` for \`read\`, else \`once\`.`,
}

const httpFields: Readonly<Record<keyof HttpEntry, string>> = {
  ...anyTool,
  method: 'Default `GET`.',
  path: 'Begins with `/` or `{{base}}`. Places of parameters: `{name}`, `{{name}}`, `:name`; their values are encoded and add no segment.',
  effects: 'Default: `read` for GET, HEAD and OPTIONS, else `external`.',
  timeout: `Seconds. Default ${seconds(http.timeoutMs)}.`,
  headers: 'Sent with each call. `{{NAME}}` stands for a credential that the skill names as required.',
  list: 'Makes a long JSON list short: counts, the first rows, and how to narrow it, within 2,000 tokens. `rows`: key of the list in the answer (default: the answer is the list); `fields`: those that are shown; `count_by`: fields whose values are counted. Parameters with `in: row` are not sent: they choose rows by the field of their name, and `offset` says where to begin.',
  auth: 'How a credential is sent. One that is missing is an error, not a call without it.',
}

const authFields: Readonly<Record<string, string>> = {
  'auth.credential': 'Name of an environment variable, or else of a key of the config.',
  'auth.name': 'Of the header or parameter. Default `Authorization`, in a query `api_key`.',
  'auth.scheme':
    'Word before it. Default `Bearer` in `Authorization`, else none; `Basic` encodes `user:password`.',
}

const execFields: Readonly<Record<keyof ExecEntry, string>> = {
  ...anyTool,
  command:
    'Program and first arguments; no shell reads it. What has a `/`, or is a file of the skill, is a script and has to lie inside the skill folder, links followed. Code for a shell (`sh -c`) is refused.',
  args: 'Further arguments. One entry is one argument, whatever `{{name}}` puts in; without that parameter it is left out, with the option before it. A value that begins with `-` is refused, unless it is a number or stands behind `--`.',
  stdin: `\`json\`: all parameters, as one JSON object. Default \`${exec.stdin}\`.`,
  env: 'Environment variables, or keys of the config, that it is given besides `PATH`, `LANG` and `HOME` (the workspace). Never provider keys and tokens of the platform and its channels, by any name.',
  timeout: `Seconds. Default ${seconds(exec.timeoutMs)}. Then the program and what it started are ended.`,
  max_output: `Bytes of stdout and stderr together that are kept, at most the runtime's \`maxResultBytes\`. Default ${exec.maxOutputBytes}.`,
  output: `With \`json\`, stdout is parsed into \`data\`, and left out where both would be too large. Default \`${exec.output}\`.`,
  network:
    'Hosts it says it talks to. Without any it has no network, where there is a sandbox; with some it has all of it.',
  effects: 'Default: `external` with `network`, else `write`.',
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
    'A skill is a folder `skills/<id>/` in the data home. How to write one: [Skill author](../getting-started/skill-author.md). ' +
      'A folder that breaks a rule is off, and listed with the reason in [`listSkills`](agent-platform.md#listskills). ' +
      'Changes count from the next run on.',
    table(
      ['File', 'Holds'],
      [
        [
          '`SKILL.md`',
          'The manifest as YAML front matter, else its first fenced `yaml` block; the rest are instructions for the model',
        ],
        ['`skill.yaml`', 'The manifest, when there is no SKILL.md or it holds none'],
        [
          '`tools.yaml`',
          '`tools`: a list of [HTTP tools](#http-tool) and [exec tools](#exec-tool); at most 200. They may also stand in the manifest',
        ],
        ['`config.schema.json`', 'JSON Schema of the config, at its top an object'],
        ['`SETUP.md`', 'What a person does once'],
        ['others', 'Scripts, and files that the model may open with `read_skill`'],
      ],
    ),
    'Each of these files has at most 1 MiB. YAML is 1.2, at most 262,144 characters and 50 aliases; keys that repeat and unknown tags are refused.',
  ]
}

function manifestSections(): string[] {
  return [
    '## Manifest',
    table(
      ['Key', 'Required', ''],
      [
        ['`name`', 'yes', 'At most 200 characters. Agents name the skill by it or by its folder'],
        [
          '`description`',
          'yes',
          'What it does and when to use it: all that the prompt says until the model opens it',
        ],
        ['`version`', '', 'Semantic version; `metadata.version` counts too'],
        ['`api_base`', '', 'Base address of its HTTP tools; see [below](#base-address)'],
        [
          '`credentials`',
          '',
          'Environment variables that it needs: a list of names, a list of `{name}` or `{env}`, or a mapping with the names as keys',
        ],
        ['`metadata`', '', 'Anything. `metadata.required_env` counts like `credentials`'],
        ['`tools`', '', 'As in `tools.yaml`, where there is none'],
      ],
    ),
    'Other keys are ignored, so skills of the open SKILL.md standard load as they are.',
    '## Base address',
    "The first of: `base` or `api_base` of the skill's config, `api_base` of the manifest, `skillBase` of the runtime. http or https, " +
      'without a user or password. Without one, or when it is the platform itself or the metadata service of a cloud, its HTTP ' +
      'tools are off, and the list of skills says why. A private address is fine in a config or `skillBase`, and in a manifest as a ' +
      'literal address or `localhost`; a public name that leads to one is refused.',
  ]
}

function httpToolSections(): string[] {
  return [
    '## HTTP tool',
    fields(HttpEntry, { ...httpFields, ...authFields }),
    'Each property of `parameters` has `in`: `path`, `query`, `header` or `body`; without, it is where the path has its place, else in ' +
      'the query for GET, HEAD, DELETE and OPTIONS, else in the body. Headers that make the connection or say who asks are not the ' +
      "model's to set. Without `parameters` a tool takes `{query?, body?}` and the places of its path.",
    'Result: `{status, ok, data}`; `data` is JSON, else text, else null with a `note`. It counts as untrusted. Redirects are ' +
      'followed within the origin only, at most 5. Each call carries `Idempotency-Key`.',
  ]
}

function execToolSections(): string[] {
  return [
    '## Exec tool',
    fields(ExecEntry, execFields),
    'An entry with `command` is one, also without `type: exec`. A parameter with `format: workspace-path` is checked: it stays in ' +
      'the workspace. The program runs in the workspace.',
    'Result: `{ok, exitCode, stdout, stderr, truncated, timedOut, durationMs, data?}`. It counts as untrusted. ' +
      'What it may reach: [Agent security](../guides/agent-security.md#programs).',
  ]
}

function otherSections(): string[] {
  return [
    '## Config',
    'Kept in `configs/<id>.json` (mode 0600), checked by `config.schema.json`. Properties with `format: password` or `writeOnly` are ' +
      'secret, however deep they lie, and so are those whose `$ref` leads out of the schema: they are shown as booleans, and a ' +
      'save that leaves one out, or sends `true`, keeps it. Without a schema, names that end in `key`, `token`, ' +
      '`secret`, `password` or `credential` are taken for secret.',
    '## Built-in tools',
    `${[...builtInToolIds].map(code).join(', ')}. Every agent has them, \`read_skill\` with at least one skill, \`web_fetch\` if the setting \`web_fetch_hosts\` names hosts, \`send_message\` with \`report_to\` and in runs that answer in a chat; its \`tools\` may narrow them. An agent with more than 40 tools also has \`tool_search\` and \`call_tool\`, by which it finds and calls the tools that its prompt does not hold. No skill can use these names.`,
    '## Store',
    'A registry is JSON: `{"skills": [{"slug", "name", "description", "version"?, "url", "sha256"?}]}`. `url` may be relative and ' +
      'leads to Markdown (a SKILL.md) or a zip archive, with the files at its top or in one folder. An archive may hold 2,000 ' +
      "entries and 50 MiB unpacked. A `slug` is the name of the skill's folder: 1 to 64 letters, digits, `_`, `-` or `.`, " +
      'a letter or digit first; not that of the lockfile, of a device on Windows (`con`, `aux.tools`), or one that ends ' +
      'in a dot. Other entries are left out. Installed skills stand in `skills/skills.lock.json` with a SHA-256 of each file.',
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
