import { useState } from 'react'
import { changedElsewhere } from '../../components/fields/changed-elsewhere.ts'
import { type AgentDraft, clashingFields } from './agent-draft.ts'
import { modelSettingNames } from './model-settings-draft.ts'

type FieldName = keyof AgentDraft

/** What a form and somebody else have both changed: whoever saves last wins, and is told before. */
export interface Clashes {
  /** What to say at the fields of which people were told, by their names in the interface. */
  readonly notes: Readonly<Record<string, string>>
  /** Remembers what clashes where the agent has changed under the form. */
  readonly add: (draft: AgentDraft, before: AgentDraft, now: AgentDraft) => void
  /**
   * Asks before a form is saved over the agent as it is now.
   *
   * @returns whether there is nothing that people were not told of; the next time there is not.
   */
  readonly mayReplace: (draft: AgentDraft, before: AgentDraft, now: AgentDraft) => boolean
  /** Forgets them: saved, or given up. */
  readonly clear: () => void
}

/** Keeps them for a form. @param first those that it begins with. */
export function useClashes(first: () => readonly FieldName[]): Clashes {
  const [found, setFound] = useState(first)
  const [told, setTold] = useState<readonly FieldName[]>([])
  return {
    notes: Object.fromEntries(told.map((name) => [errorNames[name] ?? name, changedElsewhere])),
    add: (...forms) => setFound((before) => [...before, ...clashingFields(...forms)]),
    mayReplace(draft, before, now) {
      const isStill = (name: FieldName) => JSON.stringify(draft[name]) !== JSON.stringify(now[name])
      const all = [...found.filter(isStill), ...clashingFields(draft, before, now)]
      setTold(all)
      return all.every((name) => told.includes(name))
    },
    clear() {
      setFound([])
      setTold([])
    },
  }
}

/** Where the interface names a field otherwise than the form. */
const errorNames: Partial<Record<FieldName, string>> = {
  narrows_tools: 'tools',
  max_turns: 'limits.max_turns',
  max_tokens: 'limits.max_tokens',
  max_runtime: 'limits.max_runtime',
  window_tokens: 'context.window_tokens',
  history_tokens: 'context.history_tokens',
  budget_tokens: 'budget.max_tokens',
  budget_usd: 'budget.max_usd',
  budget_period: 'budget.period',
  ...Object.fromEntries(modelSettingNames.map((name) => [name, `model_settings.${name}`])),
}
