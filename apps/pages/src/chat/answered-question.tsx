import type { Turn } from '@homeward/contract/runs'
import { useCallback, useState } from 'react'
import { TurnView } from './turn-view.tsx'

/** The turns that answer one question, oldest first: the first one has the question. */
type Answers = readonly [Turn, ...Turn[]]

/** A turn that answers the question of the one before again. A stored message without a run is not an answer. */
const isNewAnswer = ({ task, runId, createdAt }: Turn): boolean =>
  task === undefined && (runId !== undefined || createdAt === undefined)

/** Puts the answers to one question together. */
export function groupAnswers(turns: readonly Turn[]): readonly Answers[] {
  const groups: [Turn, ...Turn[]][] = []
  for (const turn of turns) {
    const last = groups.at(-1)
    if (last?.[0].task !== undefined && isNewAnswer(turn)) last.push(turn)
    else groups.push([turn])
  }
  return groups
}

interface AnsweredQuestionProps {
  readonly answers: Answers
  readonly agentId: string
  readonly agentName: string
}

/** A question with its newest answer, or an earlier one that the reader chose. */
export function AnsweredQuestion({ answers, ...names }: AnsweredQuestionProps) {
  const [question] = answers
  const count = answers.length
  const [chosen, setChosen] = useState({ index: count - 1, count })
  // A new answer shows at once.
  if (chosen.count !== count) setChosen({ index: count - 1, count })
  const { index } = chosen
  const setAnswer = useCallback((next: number) => setChosen({ index: next, count }), [count])
  return (
    <TurnView
      turn={answers[index] ?? question}
      question={question}
      answer={index}
      answers={count}
      onAnswer={setAnswer}
      {...names}
    />
  )
}
