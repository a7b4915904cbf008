import type { AuditRecord } from '@homeward/contract/agent-platform'

const maxLength = 300

/** The details of an entry in one line: `fields: name, model`. */
export function toDetailsText(details: AuditRecord['details'] = {}): string {
  const texts = Object.entries(details).map(([name, value]) => `${name}: ${toText(value)}`)
  const text = texts.join('; ')
  if (text === '') return '–'
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
