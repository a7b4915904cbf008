import { expect, it } from 'vitest'
import { builtInTools } from '../../apps/pages/src/agents/tools-section.tsx'
import { builtInToolIds } from '../../packages/agent-runtime/src/ports/built-in-tool-ids.ts'

it('A18: the dashboard suggests the built-in tools of the runtime, all of them', () => {
  expect(new Set<string>(builtInTools)).toEqual(builtInToolIds)
})
