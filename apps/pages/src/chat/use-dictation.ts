import { useEffect, useRef, useState } from 'react'

/** What of the browser's recognition of speech is used. */
export interface Recognition extends EventTarget {
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
export interface Dictation {
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
export function useDictation(onText: (text: string) => void): Dictation | undefined {
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
