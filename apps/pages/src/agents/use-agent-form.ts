import type { Agent, AgentPatch } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { useEffect, useRef, useState } from 'react'
import { type FieldErrors, toFieldErrors } from '../api/field-errors.ts'
import {
  type AgentDraft,
  clashingFields,
  emptyDraft,
  isSameDraft,
  rebase,
  toChangedPatch,
  toDraft,
} from './agent-draft.ts'
import { maxApprovalRules } from './agent-draft.ts'
import { forgetDraft, keepDraft, readKeptDraft } from './kept-drafts.ts'
import { modelSettingNames } from './model-settings-draft.ts'
import { changedElsewhere } from '../components/fields/use-clashes.ts'

const limits = ['limits', 'limits.max_turns', 'limits.max_tokens', 'limits.max_runtime']
const budget = ['budget', 'budget.max_tokens', 'budget.max_usd', 'budget.period', 'budget.ask_at']
const context = ['context', 'context.window_tokens', 'context.history_tokens']
const settings = ['model_settings', ...modelSettingNames.map((name) => `model_settings.${name}`)]
const rules = Array.from({ length: maxApprovalRules }, (_, index) =>
  ['tool', 'decision', 'when'].map((name) => `approvals[${index}].${name}`),
).flat()
const drafted = Object.keys(emptyDraft)
const fieldNames = [...drafted, ...limits, ...context, ...budget, ...settings, ...rules]

/** The state of an agent's form. */
export interface AgentForm {
  readonly draft: AgentDraft
  readonly change: (change: Partial<AgentDraft>) => void
  readonly isDirty: boolean
  /** Whether it began with changes that were not saved the last time. */
  readonly wasKept: boolean
  /** Back to what is saved. */
  readonly reset: () => void
  /** The form to be sent, as it is now. */
  readonly send: () => AgentDraft
  /**
   * The change to be sent, over the agent as it is now. Undefined where somebody else has changed the same since the form
   * was begun: that stands at its fields, and the next time it is replaced.
   */
  readonly sendOver: (now: Agent) => AgentPatch | undefined
  /** Fields that somebody else has changed as well, with what to say there. */
  readonly clashes: Readonly<Record<string, string>>
  /** To be called with the agent as it was saved: what was written since it was sent stays. */
  readonly settle: (agent: Agent) => void
}

/** Holds the form of an agent, or of a new one; what is not saved outlives a reload and the way back. */
export function useAgentForm(agent: Agent | undefined): AgentForm {
  const id = agent?.id ?? ''
  const [saved, setSaved] = useState(() => (agent ? toDraft(agent) : emptyDraft))
  const [begun] = useState(() => readKeptDraft(id))
  const [kept] = useState(() => begun && rebase(begun.draft, begun.saved, saved))
  const [draft, setDraft] = useState(kept ?? saved)
  const clashes = useClashes(() => (begun ? clashingFields(begun.draft, begun.saved, saved) : []))
  useEffect(() => keepDraft(id, { draft, saved }), [id, draft, saved])

  const sent = useRef(draft)
  const isDirty = !isSameDraft(draft, saved)
  const updatedAt = agent?.updated_at
  const [shownAt, setShownAt] = useState(updatedAt)
  if (agent !== undefined && updatedAt !== shownAt) {
    // Changed by somebody else, or by this form: what is being written stays, the rest follows.
    const now = toDraft(agent)
    clashes.add(draft, saved, now)
    setShownAt(updatedAt)
    setSaved(now)
    setDraft(rebase(draft, saved, now))
  }

  function reset(): void {
    setDraft(saved)
    clashes.clear()
    forgetDraft(id)
  }

  return {
    draft,
    change: (change) => setDraft((before) => ({ ...before, ...change })),
    isDirty,
    wasKept: kept !== undefined && isDirty && isSameDraft(kept, draft),
    reset,
    send: () => (sent.current = draft),
    sendOver(agentNow) {
      const now = toDraft(agentNow)
      if (!clashes.mayReplace(draft, saved, now)) return undefined
      sent.current = rebase(draft, saved, now)
      return toChangedPatch(sent.current, now)
    },
    clashes: clashes.notes,
    settle(settled) {
      const now = toDraft(settled)
      const rest = rebase(draft, sent.current, now)
      clashes.clear()
      // Also where the page is left by now: that of a new agent is, for the agent's own.
      keepDraft(now.id, { draft: rest, saved: now })
      if (agent === undefined) return reset()
      setSaved(now)
      setDraft(rest)
    },
  }
}

/** The server's answer by the fields of the form; an id that is taken is an error of the id. */
export function toAgentErrors(error: Error | null): FieldErrors {
  if (ClientError.is(error) && error.status === 409) {
    return { fields: { id: 'An agent with this id already exists' }, rest: undefined }
  }
  return toFieldErrors(error, fieldNames)
}

type FieldName = keyof AgentDraft

/** What a form and somebody else have both changed: whoever saves last wins, and is told before. */
interface Clashes {
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
function useClashes(first: () => readonly FieldName[]): Clashes {
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
  budget_ask_at: 'budget.ask_at',
  ...Object.fromEntries(modelSettingNames.map((name) => [name, `model_settings.${name}`])),
}
