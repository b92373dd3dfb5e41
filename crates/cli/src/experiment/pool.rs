//! Many tasks on several threads; what comes of them is handled by the caller's thread, as it comes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Calls `work` for each of `tasks` on up to `threads` threads, and `done` with each result in the order of completion.
/// Stops at the first error of either.
pub(crate) fn each<T: Send, E: Send>(
    threads: usize,
    tasks: &[usize],
    work: impl Fn(usize) -> Result<T, E> + Sync,
    mut done: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(tasks.len()) {
            let send = send.clone();
            let (next, stop, work) = (&next, &stop, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed)
                    && let Some(&task) = tasks.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if send.send((task, work(task))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let handled = receive.iter().try_for_each(|(task, result)| done(task, result?));
        stop.store(true, Ordering::Relaxed);
        handled
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_whatever_the_number_of_threads() {
        let tasks: Vec<usize> = (0..100).collect();
        for threads in [1, 3, 200] {
            let mut seen = Vec::new();
            let all = each(
                threads,
                &tasks,
                |task| Ok::<_, ()>(task * 2),
                |task, twice| {
                    seen.push((task, twice));
                    Ok(())
                },
            );
            seen.sort_unstable();
            assert_eq!((all, seen), (Ok(()), (0..100).map(|task| (task, task * 2)).collect()));
        }
    }

    #[test]
    fn the_first_error_stops_it() {
        let tasks: Vec<usize> = (0..1000).collect();
        let mut handled = 0;
        let fails = |task| if task == 5 { Err("five") } else { Ok(()) };
        let end = each(1, &tasks, fails, |_, ()| {
            handled += 1;
            Ok(())
        });
        assert_eq!((end, handled), (Err("five"), 5));
        assert_eq!(each(2, &tasks, |_| Ok(()), |_, ()| Err("full")), Err("full"));
    }
}
