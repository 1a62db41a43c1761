/** Shares identical reads of one process, as when many records are made at once. */

/**
 * Each question is answered by a read that began after it was asked, so earlier writes show. A single question is read
 * at once; questions that come while a read with their key runs share the next read.
 */
export function sharedReads<Question, Answer>(
  read: (questions: readonly Question[]) => Promise<Answer>,
): (key: string, question: Question) => Promise<Answer> {
  const rows = new Map<string, Row<Question, Answer>>()
  const begin = (key: string, questions: readonly Question[]): Promise<Answer> => {
    const answer = read(questions)
    const row: Row<Question, Answer> = { running: answer }
    rows.set(key, row)
    const end = (): void => {
      if (row.next === undefined) rows.delete(key)
    }
    answer.then(end, end)
    return answer
  }
  return (key, question) => {
    const row = rows.get(key)
    if (row === undefined) return begin(key, [question])
    row.next ??= following(row.running, (questions) => begin(key, questions))
    row.next.questions.push(question)
    return row.next.answer
  }
}

interface Row<Question, Answer> {
  running: Promise<Answer>
  next?: Following<Question, Answer>
}

interface Following<Question, Answer> {
  questions: Question[]
  answer: Promise<Answer>
}

function following<Question, Answer>(
  running: Promise<Answer>,
  begin: (questions: readonly Question[]) => Promise<Answer>,
): Following<Question, Answer> {
  const questions: Question[] = []
  const follow = () => begin(questions)
  return { questions, answer: running.then(follow, follow) }
}
