import { isSameDraft, type AgentDraft, emptyDraft } from './agent-draft.ts'

const keyOf = (id: string) => `homeward.agent-draft.${id}`

/** A form with changes that were not saved. */
interface KeptDraft {
  readonly draft: AgentDraft
  /** The agent as it was saved when they were made: what differs from it is theirs, and nothing else. */
  readonly saved: AgentDraft
}

/** Drafts lie in the tab's own storage: they outlive a reload and the way back, and end with the tab. */
export function readKeptDraft(id: string): KeptDraft | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(id)) ?? '', reviveNumber)
    return isKept(kept) ? kept : undefined
  } catch {
    return undefined
  }
}

/** Keeps a draft, or forgets it when it holds nothing that is not saved. @param id empty for a new agent. */
export function keepDraft(id: string, kept: KeptDraft): void {
  if (isSameDraft(kept.draft, kept.saved)) return forgetDraft(id)
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(kept))
  } catch {
    // A full storage: the page still asks before it is left.
  }
}

/** Forgets a draft. */
export function forgetDraft(id: string): void {
  sessionStorage.removeItem(keyOf(id))
}

/** JSON has no NaN: an empty number comes back as null. */
function reviveNumber(_key: string, value: unknown): unknown {
  return value === null ? Number.NaN : value
}

function isKept(value: unknown): value is KeptDraft {
  if (typeof value !== 'object' || value === null) return false
  return isDraft(Reflect.get(value, 'draft')) && isDraft(Reflect.get(value, 'saved'))
}

function isDraft(value: unknown): value is AgentDraft {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(emptyDraft).every(([key, empty]) => {
    const kept: unknown = Reflect.get(value, key)
    return Array.isArray(empty) ? Array.isArray(kept) : typeof kept === typeof empty
  })
}
