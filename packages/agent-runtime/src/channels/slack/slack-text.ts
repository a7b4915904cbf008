/** A message as a person reads it: without Slack's marks, and without the names of the bot. */
export function fromSlackText(text: string, ownIds: ReadonlySet<string>): string {
  return text
    .replaceAll(/ ?<@([A-Z0-9]+)(?:\|[^<>]*)?>/g, (mention, id: string) => (ownIds.has(id) ? '' : mention))
    .replaceAll(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_mark, target: string, label?: string) =>
      readMark(target, label),
    )
    .replaceAll(/&(lt|gt|amp);/g, (_entity, name: 'lt' | 'gt' | 'amp') => signs[name])
    .trim()
}

/** Whether a text names the bot. */
export function namesBot(text: string, ownIds: ReadonlySet<string>): boolean {
  return [...text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g)].some(([, id = '']) => ownIds.has(id))
}

const signs = { lt: '<', gt: '>', amp: '&' } as const

/** `<#C1|general>`, `<@U1>`, `<!here>`, `<!subteam^S1|@team>`, `<mailto:a@b.example|a@b.example>`, `<https://…|label>`. */
function readMark(target: string, label: string | undefined): string {
  if (target.startsWith('!')) return label || `@${target.slice(1).replace(/\^.*/, '')}`
  const sign = target.startsWith('@') || target.startsWith('#') ? target.slice(0, 1) : ''
  if (sign !== '') return label ? sign + label : target
  const address = target.replace(/^mailto:/, '')
  return !label || label === address || target.endsWith(`//${label}`) ? address : `${label} (${address})`
}
