import { describe, expect, it } from 'vitest'
import type { JsonObject, ModelSettings } from '@homeward/contract/agent-platform'
import { openWorld, refusalsOf, wires } from './testing/provider-world.ts'

/** Runs one task and gives what the provider got, and what it warned of. */
async function runOn(name: string, model_settings: ModelSettings) {
  const wire = wires[name]?.()
  if (!wire) throw new Error(`There is no ${name}`)
  await using world = await openWorld(wire, {}, { model_settings })
  const result = await world.say('Hello')
  expect(refusalsOf(wire.standIn)).toEqual([])
  expect(result).toMatchObject({ success: true })
  return { body: wire.standIn.requests[0]?.body as JsonObject, warnings: result.warnings ?? [] }
}

const settings: ModelSettings = { temperature: 0.5, top_p: 0.9, seed: 7, stop: ['END'] }

describe('settings of models on the wire', () => {
  it.each(Object.keys(wires))('sends no setting to %s that nobody gave', async (name) => {
    const { body } = await runOn(name, {})
    const text = JSON.stringify(body)
    for (const word of ['temperature', 'top_p', 'topP', 'seed', 'stop', 'reasoning_effort', 'thinking']) {
      expect(text).not.toContain(`"${word}"`)
    }
  })

  it.each(['a compatible server', 'OpenRouter'])('sends them to %s', async (name) => {
    const { body } = await runOn(name, { ...settings, reasoning: 'low' })
    expect(body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: ['END'],
      reasoning_effort: 'low',
    })
  })

  it('sends them to Google', async () => {
    const { body } = await runOn('Google', { ...settings, top_k: 3 })
    expect(body['generationConfig']).toMatchObject({
      temperature: 0.5,
      topP: 0.9,
      topK: 3,
      seed: 7,
      stopSequences: ['END'],
    })
  })

  it('sends reasoning to OpenAI, and warns of settings that a reasoning model does not have', async () => {
    const { body, warnings } = await runOn('OpenAI (Responses)', { temperature: 0.5, reasoning: 'high' })
    expect(body['reasoning']).toMatchObject({ effort: 'high' })
    expect(body).not.toHaveProperty('temperature')
    expect(warnings.join()).toContain('temperature')
  })

  it.each(['Google', 'Gemini 3'].filter((name) => name in wires))(
    'asks %s for the thoughts of a call with reasoning',
    async (name) => {
      const budget = { google: { thinkingConfig: { thinkingBudget: 100 } } }
      const asked = await runOn(name, { reasoning: 'low', provider_options: budget })
      expect(asked.body['generationConfig']).toMatchObject({
        thinkingConfig: { includeThoughts: true, thinkingBudget: 100 },
      })
      const hide = { google: { thinkingConfig: { includeThoughts: false } } }
      const hidden = await runOn(name, { reasoning: 'low', provider_options: hide })
      expect(hidden.body['generationConfig']).toMatchObject({ thinkingConfig: { includeThoughts: false } })
      const none = await runOn(name, { reasoning: 'none' })
      expect(JSON.stringify(none.body)).not.toContain('includeThoughts')
    },
  )

  it('names an option that the package of the provider rejects, and does not ask again', async () => {
    const wire = wires['Anthropic']?.()
    if (!wire) throw new Error('There is no Anthropic')
    const provider_options = { anthropic: { effort: 'lowest' } }
    await using world = await openWorld(wire, {}, { model_settings: { provider_options } })
    const result = await world.say('Hello')
    expect(result).toMatchObject({ success: false, code: 'model_error' })
    expect(result.error).toMatch(
      /failed: invalid anthropic provider options, at "effort"\. Correct "provider_options"/,
    )
    expect(result).not.toMatchObject({ retryable: true })
    expect(wire.standIn.requests).toEqual([])
  })

  it('sends reasoning and stop sequences to Anthropic', async () => {
    const { body } = await runOn('Anthropic', { stop: ['END'], reasoning: 'high' })
    expect(body).toMatchObject({ stop_sequences: ['END'] })
    expect(JSON.stringify(body)).toMatch(/"thinking"|"effort"/)
  })

  it('sends options of the provider, and stores nothing at OpenAI whatever they say', async () => {
    const { body } = await runOn('OpenAI (Responses)', {
      provider_options: { openai: { serviceTier: 'flex', store: true }, anthropic: { effort: 'low' } },
    })
    expect(body).toMatchObject({ service_tier: 'flex', store: false })
  })
})
