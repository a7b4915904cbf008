import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { createAgentPlatformDocument } from './index.ts'

it('describes the interface so that an independent linter finds nothing wrong with it', async () => {
  const servers = [{ url: 'http://127.0.0.1:3010' }]
  const document = await createAgentPlatformDocument({ servers, version: '1.2.3' })
  expect(document.info.version).toBe('1.2.3')
  expect(document.servers).toEqual(servers)
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  // a server on loopback is what this document is for
  const others = problems.filter(({ ruleId }) => ruleId !== 'no-server-example.com')
  expect(others.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  expect(JSON.stringify(document)).not.toContain('$defs')
})
