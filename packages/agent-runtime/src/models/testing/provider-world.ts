import { createRuntime, type RuntimeOptions, type Tool } from '../../index.ts'
import {
  createMockAnthropicProvider,
  createMockChatProvider,
  createMockGoogleProvider,
  createMockResponsesProvider,
  type MockChatProviderOptions,
  type MockProvider,
  type MockProviderResponse,
  type MockProviderRequest,
} from '../../testing/index.ts'

/** Provider APIs by the host that they answer at. */
type ProviderHosts = Readonly<Record<string, Pick<MockProvider, 'fetch'>>>

/** A `fetch` that leads each request to the provider of its host. */
export function fetchTo(hosts: ProviderHosts): typeof fetch {
  return async (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : String(input))
    const provider = hosts[hostname]
    if (!provider) throw new TypeError(`fetch failed: there is no ${hostname}`)
    return provider.fetch(input, init)
  }
}

/** Answers one after the other; behind the last it says "ok". */
export const inTurn = (answers: readonly MockProviderResponse[]) => (_: unknown, number: number) =>
  answers[number] ?? { text: 'ok' }

/** A provider and the model that leads to it. */
export interface Wired {
  readonly model: string
  readonly standIn: MockProvider
  readonly hosts: ProviderHosts
  readonly environment: Readonly<Record<string, string>>
}

type Make = (answers?: readonly MockProviderResponse[]) => Wired

const keys = {
  OPENAI_API_KEY: 'sk-1',
  ANTHROPIC_API_KEY: 'sk-2',
  GOOGLE_API_KEY: 'sk-3',
  OPENROUTER_API_KEY: 'sk-4',
}
const wired = (model: string, host: string, standIn: MockProvider, environment = {}): Wired => ({
  model,
  standIn,
  hosts: { [host]: standIn },
  environment: { ...keys, ...environment },
})

/** A server that speaks like OpenAI, behind another base URL. */
export const localWire = (
  answers: readonly MockProviderResponse[] = [],
  options: Omit<MockChatProviderOptions, 'answer'> = {},
): Wired =>
  wired('openai/local', 'gpu.example', createMockChatProvider({ ...options, answer: inTurn(answers) }), {
    OPENAI_BASE_URL: 'http://gpu.example/v1',
  })

/** Every hosted provider with its own API. */
export const wires: Readonly<Record<string, Make>> = {
  'OpenAI (Responses)': (answers = []) =>
    wired('openai/gpt-6-sol', 'api.openai.com', createMockResponsesProvider({ answer: inTurn(answers) })),
  'OpenAI (Chat Completions)': (answers = []) =>
    wired('openai-chat/gpt-5', 'api.openai.com', createMockChatProvider({ answer: inTurn(answers) })),
  'a compatible server': (answers = []) => localWire(answers),
  'a template with alternating roles': (answers = []) => localWire(answers, { alternates: true }),
  Anthropic: (answers = []) =>
    wired(
      'anthropic/claude-sonnet-5',
      'api.anthropic.com',
      createMockAnthropicProvider({ answer: inTurn(answers) }),
    ),
  Google: (answers = []) =>
    wired(
      'google/gemini-3-pro',
      'generativelanguage.googleapis.com',
      createMockGoogleProvider({ answer: inTurn(answers) }),
    ),
  OpenRouter: (answers = []) =>
    wired('openrouter/some/model', 'openrouter.ai', createMockChatProvider({ answer: inTurn(answers) })),
}

/** A tool that keeps what it was called with. */
export function lookTool(parameters: Record<string, unknown> = { type: 'object' }) {
  const seen: unknown[] = []
  const tool: Tool = {
    id: 'look',
    description: 'Looks.',
    inputSchema: parameters,
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: false,
    async execute(args) {
      seen.push(args)
      return { ok: true }
    },
  }
  return { tool, seen }
}

/** A runtime whose agent `helper` has the model of a provider. */
export async function openWorld(
  { model, hosts, environment }: Omit<Wired, 'standIn'>,
  options: RuntimeOptions = {},
  agent: Partial<Parameters<ReturnType<typeof createRuntime>['agents']['create']>[0]> = {},
) {
  const runtime = createRuntime({
    environment,
    fetch: fetchTo(hosts),
    compaction: false,
    retry: { baseMs: 0 },
    ...options,
  })
  if (!(await runtime.agents.list()).some(({ id }) => id === 'helper')) {
    await runtime.agents.create({ id: 'helper', ...agent, model })
  }
  return {
    runtime,
    say: (task: string) => runtime.run({ agent_id: 'helper', task, conversation_id: 'chat' }),
    [Symbol.asyncDispose]: () => runtime.close(),
  }
}

/** Why requests were refused; empty when none was. */
export const refusalsOf = ({ requests }: { readonly requests: readonly MockProviderRequest[] }): string[] =>
  requests.flatMap(({ refusal }) => refusal ?? [])
