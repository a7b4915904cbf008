import type { JsonObject } from '@homeward/contract/agent-platform'

/** A skill's `config.schema.json`: an address, two secrets, and a choice that it needs. */
export const configSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    base: { type: 'string', format: 'uri' },
    api_key: { type: 'string', format: 'password' },
    hidden: { type: 'string', writeOnly: true },
    units: { enum: ['metric', 'imperial'] },
  },
  required: ['units'],
  additionalProperties: false,
}
