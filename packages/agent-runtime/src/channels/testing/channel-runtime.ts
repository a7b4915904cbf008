import { onTestFinished, vi } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import { createTestChannel, toRequest, type TestChannelOptions, type TestMessage } from './test-channel.ts'

/** A runtime with a channel named `test` whose agent repeats what it reads, and the means to write to it. */
export async function openChannelRuntime(
  channelOptions: TestChannelOptions = {},
  options: RuntimeOptions = {},
) {
  const refusal = { status: 200, body: 'no agent' }
  const denial = { status: 200, body: 'denied' }
  const channel = createTestChannel({
    agentId: 'parrot',
    access: 'pairing',
    refusal,
    denial,
    ...channelOptions,
  })
  const runtime = createRuntime({ environment: {}, channels: [channel], ...options })
  onTestFinished(() => runtime.close())
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' }).catch(() => {}) // there after a restart
  return {
    channel,
    runtime,
    /** Posts a message. @returns what the platform gets */
    write: async (message: TestMessage) => (await runtime.channels.receive('test', toRequest(message))).body,
    /** Texts that arrived in a chat. */
    texts: (chat = '1') => channel.sent.filter((part) => part.chat === chat).map(({ text }) => text),
    allow: (id: string) => runtime.channels.setSender('test', id, { status: 'allowed' }),
    /** Waits for work in the background. */
    until: <T>(check: () => T) => vi.waitFor(check, { timeout: 30_000, interval: 5 }),
  }
}

/** The pairing code in a reply. */
export function codeIn(text: string | undefined): string {
  return /\b[A-HJ-NP-Z2-9]{8}\b/.exec(text ?? '')?.[0] ?? ''
}
