import { SendHorizontal, Square, Camera, Mic, MicOff } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useId, useState, useEffect, useRef } from 'react'
import { TextArea as AriaTextArea, TextField, FileTrigger } from 'react-aria-components'
import { Button } from '../components/buttons/button.tsx'
import { useMedia } from '../components/use-media.ts'
import { isComposing } from '../components/fields/is-composing.ts'
import { useUnloadQuestion } from '../components/dialogs/use-unload-question.ts'
import { AttachedFiles, useAttachments, AttachButton } from './files/attached-files.tsx'
import type { AttachedFile } from './files/chat-file.ts'
import { keepMessage, readKeptMessage } from './kept-messages.ts'
import { IconButton } from '../components/buttons/icon-button.tsx'

/** What a {@link Composer} takes. */
interface ComposerProps {
  /** Where what is not sent yet is kept, as `messagePlace` names it. */
  readonly place: string
  readonly agentName: string
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
  readonly onSend: (task: string, files: readonly AttachedFile[]) => void
  /** Why nothing can be sent now; undefined when it can. */
  readonly blocked: string | undefined
  /** Stops the run; undefined while there is none to stop. */
  readonly onStop: (() => void) | undefined
  readonly isWorking: boolean
  readonly isStopping: boolean
}

const longestTask = 1_000_000

/**
 * Where a message is written: Enter sends, Shift+Enter begins a new line; on a phone Enter begins one. While a run works the next message can be
 * written and not sent: the run would not know of it, and what it answers would not be known to the next one.
 */
export function Composer({
  place,
  agentName,
  fieldRef,
  onSend,
  blocked,
  onStop,
  isWorking,
  isStopping,
}: ComposerProps) {
  const [text, setText] = useState(() => readKeptMessage(place))
  const hint = useId()
  // It outlives a reload and not its tab: the browser does not tell the one from the other.
  const attachments = useAttachments()
  const { files, isReading } = attachments
  useUnloadQuestion(text.trim() !== '' || files.length > 0)
  const isSendable = blocked === undefined && text.trim() !== '' && !isReading
  // Fingers write here: there is no Shift+Enter on the keyboard of a phone, and there is a camera.
  const hasTouch = useMedia('(pointer: coarse)')
  const usual = hasTouch ? 'Enter starts a new line.' : 'Enter sends, Shift+Enter starts a new line.'
  const advice =
    files.length > 0 && text.trim() === '' ? 'Write what the agent should do with the files.' : usual

  function write(next: string): void {
    setText(next)
    keepMessage(place, next)
  }

  const dictation = useDictation((said) => write(text.trim() === '' ? said : `${text.trimEnd()} ${said}`))

  function send(): void {
    if (!isSendable) return
    write('')
    onSend(text, attachments.take())
  }

  function handleKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key !== 'Enter' || event.shiftKey || hasTouch || isComposing(event.nativeEvent)) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className="chat-composer"
      aria-label="Write a message"
      {...attachments.dropProps}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <AttachedFiles files={files} problems={attachments.problems} onRemove={attachments.remove} />
      <ComposerTools onFiles={attachments.add} hasTouch={hasTouch} dictation={dictation} />
      <TextField
        className="chat-composer-field"
        data-text={text}
        aria-label={`Message to ${agentName}`}
        value={text}
        onChange={write}
        maxLength={longestTask}
        autoFocus
      >
        <AriaTextArea
          ref={fieldRef}
          className="field-input"
          rows={1}
          dir="auto"
          placeholder={`Ask ${agentName}`}
          aria-describedby={hint}
          onKeyDown={handleKey}
          onPaste={attachments.onPaste}
        />
      </TextField>
      <SendOrStop {...{ isWorking, isStopping, onStop, isSendable }} />
      <p id={hint} className="chat-composer-hint muted small">
        {dictation?.problem ?? blocked ?? advice}
      </p>
    </form>
  )
}

interface SendOrStopProps extends Pick<ComposerProps, 'isWorking' | 'isStopping' | 'onStop'> {
  readonly isSendable: boolean
}

function SendOrStop({ isWorking, isStopping, onStop, isSendable }: SendOrStopProps) {
  return isWorking ? (
    <Button
      icon={<Square aria-hidden />}
      isDisabled={onStop === undefined || isStopping}
      onPress={() => onStop?.()}
    >
      Stop
    </Button>
  ) : (
    <Button type="submit" variant="primary" icon={<SendHorizontal aria-hidden />} isDisabled={!isSendable}>
      Send
    </Button>
  )
}

/** What {@link ComposerTools} take. */
interface ComposerToolsProps {
  readonly onFiles: (files: Iterable<File>) => void
  /** Whether this is a phone or a tablet, which has a camera. */
  readonly hasTouch: boolean
  /** Undefined where the browser does not recognize speech. */
  readonly dictation: Dictation | undefined
}

/** Ways to add to a message other than to write. */
function ComposerTools({ onFiles, hasTouch, dictation }: ComposerToolsProps) {
  return (
    <div className="chat-composer-tools">
      <AttachButton onFiles={onFiles} />
      {hasTouch && <CameraButton onFiles={onFiles} />}
      {dictation && <DictationButton dictation={dictation} />}
    </div>
  )
}

/** Has a picture taken for the next message. */
function CameraButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <FileTrigger
      acceptedFileTypes={['image/*']}
      defaultCamera="environment"
      onSelect={(files) => onFiles(files ?? [])}
    >
      <IconButton icon={<Camera aria-hidden />} label="Take a picture" />
    </FileTrigger>
  )
}

function DictationButton({ dictation }: { readonly dictation: Dictation }) {
  const { isListening, toggle } = dictation
  return (
    <IconButton
      icon={isListening ? <MicOff aria-hidden /> : <Mic aria-hidden />}
      label={isListening ? 'Stop dictation' : 'Dictate'}
      onPress={toggle}
    />
  )
}

/** What of the browser's recognition of speech is used. */
interface Recognition extends EventTarget {
  lang: string
  continuous: boolean
  start(): void
  stop(): void
  abort(): void
}

interface ResultEvent extends Event {
  readonly resultIndex: number
  readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }>
}

/** The browser's recognition of speech; undefined where it has none. */
function findRecognition(): (new () => Recognition) | undefined {
  const found: unknown =
    Reflect.get(window, 'SpeechRecognition') ?? Reflect.get(window, 'webkitSpeechRecognition')
  return typeof found === 'function' ? (found as new () => Recognition) : undefined
}

/** Speech that becomes text. */
interface Dictation {
  readonly isListening: boolean
  /** Why nothing is heard. */
  readonly problem: string | undefined
  readonly toggle: () => void
}

const problems: Readonly<Record<string, string>> = {
  'not-allowed': 'The browser blocks the microphone. Allow the microphone for this page.',
  'service-not-allowed': 'The browser blocks the microphone. Allow the microphone for this page.',
  'audio-capture': 'No microphone was found. Connect a microphone.',
  network: 'The speech service of the browser cannot be reached. Check the network.',
}

/** Writes down what is said; undefined where the browser cannot. */
function useDictation(onText: (text: string) => void): Dictation | undefined {
  const [isListening, setIsListening] = useState(false)
  const [problem, setProblem] = useState<string>()
  const running = useRef<Recognition>(undefined)
  const say = useRef(onText)
  useEffect(() => {
    say.current = onText
  })
  useEffect(() => () => running.current?.abort(), [])
  if (findRecognition() === undefined) return undefined

  function start(): void {
    const Recognizer = findRecognition()
    if (Recognizer === undefined) return
    const listener = new Recognizer()
    running.current = listener
    listener.lang = navigator.language
    listener.continuous = true
    listener.addEventListener('result', (event) => {
      const { results, resultIndex } = event as ResultEvent // what this event is
      const said = Array.from(results).slice(resultIndex)
      const text = said.flatMap((result) => (result.isFinal ? (result[0]?.transcript ?? []) : [])).join('')
      if (text !== '') say.current(text.trim())
    })
    listener.addEventListener('error', (event) => setProblem(problems[String(Reflect.get(event, 'error'))]))
    listener.addEventListener('end', () => setIsListening(false))
    setProblem(undefined)
    setIsListening(true)
    listener.start()
  }

  return {
    isListening,
    problem,
    toggle: () => (isListening ? running.current?.stop() : start()),
  }
}
