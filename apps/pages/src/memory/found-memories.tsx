import type { Memory } from '@homeward/contract/agent-platform'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlatformMutation } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Button } from '../components/buttons/button.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { AgentName } from '../components/agents/agent-filter.tsx'

/** What {@link FoundMemories} take. */
interface FoundMemoriesProps {
  /** Those that were searched for have a score. */
  readonly memories: readonly (Memory & { readonly score?: number })[]
  /** The words that were searched for. Empty for a list of all. */
  readonly query: string
}

/** Memories, each with its agent and its user. Those that were found show how well they match. */
export function FoundMemories({ memories, query }: FoundMemoriesProps) {
  const best = Math.max(...memories.map(({ score = 0 }) => score))
  return (
    <ol className="memory-results" aria-label={`${memories.length} memories`}>
      {memories.map((memory) => (
        <li key={memory.id} className="memory-result" data-scored={memory.score !== undefined || undefined}>
          {memory.score !== undefined && <MemoryScore score={memory.score} best={best} />}
          <div className="stack" data-gap="small">
            <MatchedText text={memory.text} query={query} />
            <MemoryFacts memory={memory} />
          </div>
          <MemoryActions memory={memory} />
        </li>
      ))}
    </ol>
  )
}

function MemoryScore({ score, best }: { readonly score: number; readonly best: number }) {
  const share = best > 0 ? Math.max(score / best, 0) : 0
  const shown = score.toLocaleString(undefined, { maximumSignificantDigits: 3 })
  return (
    <div className="memory-score" title="Relevance, compared with the best result">
      <span className="numeric">
        <span className="visually-hidden">Score </span>
        {shown}
      </span>
      <span className="memory-score-bar" aria-hidden>
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </div>
  )
}

function MemoryFacts({ memory }: { readonly memory: Memory }) {
  const { agent_id, user_id, tags, created_at, trust } = memory
  return (
    <div className="row small muted">
      <span className="foreign">
        <AgentName id={agent_id} />
      </span>
      {user_id !== null && <span className="foreign">for {user_id}</span>}
      <RelativeTime value={created_at} />
      {tags.map((tag) => (
        <span key={tag} className="memory-tag foreign">
          {tag}
        </span>
      ))}
      {trust === 'untrusted' && (
        <span title="Written from untrusted content. After reading it, tools with external effects ask a person first.">
          <StatusBadge status="untrusted" tone="warn" />
        </span>
      )}
    </div>
  )
}

function MemoryActions({ memory }: { readonly memory: Memory }) {
  const remove = usePlatformMutation('deleteMemory', { invalidates: ['searchMemory', 'listMemories'] })
  const { id, text } = memory
  return (
    <ActionMenu
      label="Actions of this memory"
      actions={[
        {
          label: 'Delete',
          icon: <Trash2 aria-hidden />,
          confirm: {
            title: 'Delete this memory?',
            text: (
              <>
                <p className="foreign">
                  “{text.slice(0, 300)}
                  {text.length > 300 && '…'}”
                </p>
                <p>The agent will no longer find this memory. This cannot be undone.</p>
              </>
            ),
            onConfirm: async () => {
              await untilGone(remove.mutateAsync({ params: { id } }))
              showToast({ title: 'Memory deleted' })
            },
          },
        },
      ]}
    />
  )
}

/** What {@link MatchedText} takes. */
interface MatchedTextProps {
  readonly text: string
  readonly query: string
}

/** A text with the words that were searched for. A long one opens at a press. */
export function MatchedText({ text, query }: MatchedTextProps) {
  const [isOpen, setIsOpen] = useState(false)
  const isLong = text.length > firstShown
  const pieces = markWords(isLong && !isOpen ? text.slice(0, firstShown) : text, query)
  const isCut = pieces.reduce((length, piece) => length + piece.text.length, 0) < text.length
  return (
    <>
      <p className="foreign memory-text" dir="auto">
        {/* Pieces of one text never change places. */}
        {pieces.map((piece, index) => (piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text))}
        {isCut && '…'}
      </p>
      {isLong && (
        <Button variant="quiet" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show more'}
        </Button>
      )}
    </>
  )
}

/** A piece of a text, and whether it is a word that was searched for. */
interface TextPiece {
  readonly text: string
  readonly isMatch: boolean
}

/** So many characters of a memory show before it is opened. */
const firstShown = 600
const longestShown = 20_000
/** More words than that make no difference to a reader. */
const mostWords = 50

/**
 * Cuts a text at the words of a query, whatever their case. This is why it was found when the search goes by words; one
 * that goes by meaning too may find texts with none of them.
 */
export function markWords(text: string, query: string): TextPiece[] {
  const words = [...new Set(query.match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, mostWords)
  const shown = text.slice(0, longestShown)
  if (words.length === 0) return [{ text: shown, isMatch: false }]
  // Longer ones first: where one word begins with another, all of it is marked.
  const sorted = words.toSorted((a, b) => b.length - a.length)
  const pieces = shown.split(new RegExp(`(${sorted.join('|')})`, 'giu'))
  return pieces
    .map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
