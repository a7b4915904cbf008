import type { Operation } from '@homeward/contract'
import type { OperationExample } from '@homeward/contract/examples'

/** Names of successful statuses. */
const reasons: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

/** A request and its response, as they were recorded. */
export function exampleSection(
  id: string,
  operation: Operation,
  example: OperationExample | undefined,
): string {
  if (!example) throw new Error(`Documenting ${id} failed: it has no example. Run npm run examples.`)
  const { request, response } = example
  const first = `${operation.method} ${request.path} HTTP/1.1`
  const reply = `HTTP/1.1 ${response.status} ${reasons[response.status] ?? ''}`.trim()
  return [
    'Example:',
    block('http', [first, ...headersOf(request.headers), ...bodyOf(request.body)]),
    block('http', [reply, ...headersOf(response.headers), ...bodyOf(response.body)]),
  ].join('\n\n')
}

function headersOf(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    return name === 'Content-Type' && value === 'application/json' ? [] : [`${name}: ${value}`]
  })
}

/** A body behind an empty line. */
function bodyOf(body: unknown): string[] {
  if (body === undefined || body === '') return []
  return ['', typeof body === 'string' ? body.trimEnd() : layOut(body)]
}

const block = (language: string, lines: readonly string[]) => `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``

const lineLength = 100

/** JSON in which what is short stands on one line. */
function layOut(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, ' ') ?? 'null'
  if (indent.length + line.length <= lineLength || typeof value !== 'object' || value === null) return line
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const rows = Object.entries(value).map(([name, each]) => {
    return `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${layOut(each, inner)}`
  })
  return `${isList ? '[' : '{'}\n${rows.join(',\n')}\n${indent}${isList ? ']' : '}'}`
}
