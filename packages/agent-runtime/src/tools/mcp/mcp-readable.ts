import type { McpClient } from './load-mcp-client.ts'
import type { McpTool } from './read-answers.ts'

/** Resources or prompts that the model reads about. */
const maxNamed = 100
const maxLine = 300

type Limits = Parameters<McpClient['request']>[1]
type Fields = Readonly<Record<string, unknown>>

/** Tools that read the resources and the prompts of a server, if it has some. */
export async function listReadable(client: McpClient, limits: Limits): Promise<McpTool[]> {
  const { resources, prompts } = client.capabilities
  const list = (method: string, field: string) => listFields(client, limits, method, field)
  const [named, templates, asked] = await Promise.all([
    resources ? list('resources/list', 'resources') : [],
    resources ? list('resources/templates/list', 'resourceTemplates') : [],
    prompts ? list('prompts/list', 'prompts') : [],
  ])
  const uris = [...named, ...templates].flatMap((each) => toLine(each['uri'] ?? each['uriTemplate'], each))
  const names = asked.flatMap((each) => toLine(toCall(each), each))
  return [...(uris.length > 0 ? [readResource(uris)] : []), ...(names.length > 0 ? [getPrompt(names)] : [])]
}

/** The first page. A server that cannot list them has none: its tools are worth more. */
async function listFields(
  client: McpClient,
  limits: Limits,
  method: string,
  field: string,
): Promise<Fields[]> {
  try {
    const { [field]: listed } = await client.request({ method, params: {} }, limits)
    if (!Array.isArray(listed)) return []
    return (listed as readonly unknown[]).filter(
      (each): each is Fields => typeof each === 'object' && each !== null,
    )
  } catch {
    limits.signal.throwIfAborted()
    return []
  }
}

function toLine(key: unknown, { name, title, description }: Fields): string[] {
  if (typeof key !== 'string' || key === '') return []
  const said = [title ?? name, description].filter(
    (part) => typeof part === 'string' && part !== key.split('(', 1)[0],
  )
  return [`- ${key}${said.length > 0 ? `: ${said.join('. ')}` : ''}`.replace(/\s+/g, ' ').slice(0, maxLine)]
}

/** A prompt with its arguments: `name(city, [language])`. */
function toCall({ name, arguments: given }: Fields): unknown {
  if (!Array.isArray(given) || given.length === 0) return name
  const shown = (given as Fields[]).map((each) =>
    each['required'] ? String(each['name']) : `[${String(each['name'])}]`,
  )
  return `${String(name)}(${shown.join(', ')})`
}

const text = (what: string, lines: readonly string[]) =>
  [what, ...lines.toSorted().slice(0, maxNamed)].join('\n')

const readResource = (lines: readonly string[]): McpTool => ({
  name: 'read_resource',
  reads: 'resources',
  description: text('Reads a resource by its URI. In a template, replace what is in braces:', lines),
  inputSchema: {
    type: 'object',
    properties: { uri: { type: 'string' } },
    required: ['uri'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
})

const getPrompt = (lines: readonly string[]): McpTool => ({
  name: 'get_prompt',
  reads: 'prompts',
  description: text(
    'Gets a prompt that the server has written. Arguments in brackets can be left out:',
    lines,
  ),
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      arguments: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
})
