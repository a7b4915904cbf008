import type { Run } from '@homeward/contract/agent-platform'
import { Card } from '../../components/layout/card.tsx'
import { AnswerText } from '../chat/answer-text.tsx'
import { adviseOn } from '../chat/failure-advice.ts'
import { MessageFiles } from '../chat/files/message-files.tsx'
import { LongText } from '../chat/long-text.tsx'

/** What a run was asked, and what came of it. */
export function RunOutput({ run }: { readonly run: Run }) {
  const { task, result, agent_id: agentId = '' } = run
  const error = result && 'error' in result ? result.error : undefined
  const code = result && 'code' in result ? result.code : undefined
  const advice = error === undefined ? undefined : adviseOn(code ?? 'run_error', agentId)
  return (
    <>
      <Card title="Task">
        <LongText text={task} label="Task" />
      </Card>
      {result && (
        <Card title={error === undefined ? 'Answer' : 'What went wrong'}>
          {advice && (
            <>
              <p>
                <strong>{advice.title}.</strong> {advice.advice}
              </p>
              <p className="foreign small">
                {error} {code !== undefined && <code>{code}</code>}
              </p>
            </>
          )}
          {result.output === '' && error === undefined && <p className="muted">No output.</p>}
          {result.output !== '' && <AnswerText text={result.output} />}
          {'files' in result && <MessageFiles label="Files of the run" files={result.files ?? []} />}
        </Card>
      )}
    </>
  )
}
