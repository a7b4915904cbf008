import type { Tool } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { textOf } from './read-arguments.ts'

/** Tells the time. @param timeZone IANA zone that is meant when the model names none. */
export function createTimeTool(now: () => number, timeZone = 'UTC'): Tool {
  return {
    id: 'time',
    description: `Tells the current date and time, in ${timeZone} unless another time zone is named.`,
    parameters: {
      type: 'object',
      properties: { timezone: { type: 'string', description: 'IANA time zone, such as Europe/Berlin.' } },
      additionalProperties: false,
    },
    effects: 'read',
    repeat: 'safe',
    untrusted: false,
    async call(args) {
      const zone = textOf(args, 'timezone', timeZone)
      const at = new Date(now())
      return { utc: at.toISOString(), timezone: zone, local: localTime(at, zone) }
    },
  }
}

function localTime(at: Date, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' }).format(at)
  } catch (cause) {
    const text = `Getting the time failed: ${JSON.stringify(timeZone.slice(0, 100))} is not an IANA time zone name. Use a name such as Europe/Berlin.`
    throw new RuntimeError('validation_error', text, { cause })
  }
}
