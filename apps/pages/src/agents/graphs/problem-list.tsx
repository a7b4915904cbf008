import { Button } from '../../components/buttons/button.tsx'
import type { DraftProblem } from './draft-problems.ts'
import type { GraphDraft } from './graph-draft.ts'

/** What a {@link ProblemList} takes. */
export interface ProblemListProps {
  readonly problems: readonly DraftProblem[]
  readonly draft: GraphDraft
  /** Opens the form of a node or an edge. */
  readonly onShow: (key: string) => void
}

/** Why a graph cannot be saved: each with the way to its place. */
export function ProblemList({ problems, draft, onShow }: ProblemListProps) {
  if (problems.length === 0) return null
  return (
    <div className="graph-problems" role="alert">
      <h2>This graph cannot be saved yet</h2>
      <ul>
        {problems.map(({ key, field, message }, index) => (
          // Two problems of one place may read alike.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={`${key} ${field} ${index}`}>
            <span className="foreign">
              {[placeName(draft, key), field].filter(Boolean).join(', ')}: {message}
            </span>
            {key !== undefined && (
              <Button variant="quiet" onPress={() => onShow(key)}>
                Show
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function placeName({ nodes, edges }: GraphDraft, key: string | undefined): string {
  const nameOf = (nodeKey: string) => nodes.find((node) => node.key === nodeKey)?.id ?? ''
  const node = nodes.find((each) => each.key === key)
  if (node) return `Node ${node.id}`
  const edge = edges.find((each) => each.key === key)
  return edge ? `Edge ${nameOf(edge.from)} → ${nameOf(edge.to)}` : 'Graph'
}
