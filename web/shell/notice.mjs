// One sentence to the visitor that needs no answer.

const SECONDS = 8;
const notice = document.getElementById('notice');
let timer;

/** Shows the sentence for a while, in place of the last one. */
export function notify(sentence) {
  clearTimeout(timer);
  notice.textContent = sentence;
  notice.hidden = false;
  timer = setTimeout(() => { notice.hidden = true; }, SECONDS * 1000);
}
