import type { ModelList } from '@homeward/contract/agent-platform'
import { platform } from '../api/platform.ts'

/** The model to begin with: the usual one of the provider if it lists it, else the first that it lists, if possible one that chats. */
export function firstModel(
  { id, model }: { readonly id: string; readonly model?: string },
  { models }: ModelList,
): string | undefined {
  const own = models.filter(({ provider }) => provider === id)
  return (own.find((each) => each.id === model) ?? own.find((each) => !/embed/i.test(each.id)) ?? own[0])?.id
}

const demoId = 'demo'

/** Gives the demo agent a model if it has a test model. @returns the model, if the agent uses it now */
export async function moveDemoAgent(model: string): Promise<string | undefined> {
  const { agents } = await platform.listAgents()
  const demo = agents.find(({ id }) => id === demoId)
  if (!demo?.model.startsWith('test/')) return undefined
  await platform.updateAgent({ params: { id: demoId }, body: { model } })
  return model
}
