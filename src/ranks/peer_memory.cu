/* Boxes in a GPU's memory: IPC handles and events for other processes, peer access for threads of
   one process. Errors of CUDA are cleared by cudaGetLastError wherever a failure is an answer ("not
   possible here") and not a fault. */
#include "backend/cuda/launch.cuh"
#include <string.h>
extern "C" {
#include "ranks/exchange.h"
}

static_assert(sizeof(cudaIpcMemHandle_t) <= IG_NEAR_HANDLE, "a handle is larger");
static_assert(sizeof(cudaIpcEventHandle_t) <= IG_NEAR_HANDLE, "a handle is larger");

/* Creates the two marks of a box and the handles of marks and memory. Where CUDA gives no handles
   (some containers, some systems) they stay zero, and only threads can use the box. */
extern "C" ig_status ig_peer_box_cuda(ig_ctx *cx, ig_peer_box *box) {
  int device = 0;
  IG_CUDA(cx, cudaGetDevice(&device));
  box->offer.device = device;
  for (int i = 0; i < 2; i++) {
    cudaEvent_t event;
    cudaIpcEventHandle_t handle;
    bool shared = true;
    if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess) !=
        cudaSuccess) {
      (void)cudaGetLastError();
      shared = false;
      IG_CUDA(cx, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    box->mark[i] = event;
    if (shared && cudaIpcGetEventHandle(&handle, event) == cudaSuccess)
      memcpy(box->offer.mark_handle[i], &handle, sizeof handle);
    (void)cudaGetLastError();
  }
  cudaIpcMemHandle_t handle;
  if (cudaIpcGetMemHandle(&handle, box->memory) == cudaSuccess)
    memcpy(box->offer.memory_handle, &handle, sizeof handle);
  (void)cudaGetLastError();
  return IG_OK;
}

extern "C" void ig_peer_box_free_cuda(ig_peer_box *box) {
  for (int i = 0; i < 2; i++)
    if (box->mark[i])
      cudaEventDestroy((cudaEvent_t)box->mark[i]);
}

static const char *failed(cudaError_t error) {
  (void)cudaGetLastError();
  return cudaGetErrorString(error);
}

/* Opens a box of another thread: its address is valid here once this GPU may access the other
   one. */
static const char *open_thread(const ig_peer_offer *offer, ig_peer_view *view) {
  int device = 0, can = 1;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess && device != (int)offer->device) {
    error = cudaDeviceCanAccessPeer(&can, device, (int)offer->device);
    if (error == cudaSuccess && can) {
      error = cudaDeviceEnablePeerAccess((int)offer->device, 0);
      if (error == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        error = cudaSuccess;
      }
    }
  }
  if (error != cudaSuccess)
    return failed(error);
  if (!can)
    return "the GPUs cannot reach each other's memory";
  view->memory = (char *)offer->memory;
  view->mark[0] = offer->mark[0];
  view->mark[1] = offer->mark[1];
  return NULL;
}

/* Returns NULL on success, otherwise the reason as text. */
extern "C" const char *ig_peer_open_cuda(ig_ctx *cx, const ig_peer_offer *offer, bool same_process,
                                         ig_peer_view *view) {
  static const char none[IG_NEAR_HANDLE] = {0};
  (void)cx;
  if (same_process)
    return open_thread(offer, view);
  if (memcmp(offer->memory_handle, none, sizeof none) == 0 ||
      memcmp(offer->mark_handle[1], none, sizeof none) == 0)
    return "CUDA gives no handles of its memory here";
  cudaIpcMemHandle_t memory;
  void *address = NULL;
  memcpy(&memory, offer->memory_handle, sizeof memory);
  cudaError_t error = cudaIpcOpenMemHandle(&address, memory, cudaIpcMemLazyEnablePeerAccess);
  if (error != cudaSuccess)
    return failed(error);
  view->memory = (char *)address;
  for (int i = 0; i < 2 && error == cudaSuccess; i++) {
    cudaIpcEventHandle_t handle;
    cudaEvent_t event;
    memcpy(&handle, offer->mark_handle[i], sizeof handle);
    error = cudaIpcOpenEventHandle(&event, handle);
    if (error == cudaSuccess)
      view->mark[i] = event;
  }
  if (error == cudaSuccess)
    return NULL;
  ig_peer_view_free_cuda(view);
  return failed(error);
}

extern "C" void ig_peer_view_free_cuda(const ig_peer_view *view) {
  for (int i = 0; i < 2; i++)
    if (view->mark[i])
      cudaEventDestroy((cudaEvent_t)view->mark[i]);
  cudaIpcCloseMemHandle(view->memory);
  (void)cudaGetLastError();
}

extern "C" ig_status ig_peer_mark_cuda(ig_ctx *cx, void *mark) {
  IG_CUDA(cx, cudaEventRecord((cudaEvent_t)mark, ig_cuda_stream(cx)));
  return IG_OK;
}

extern "C" ig_status ig_peer_after_cuda(ig_ctx *cx, void *mark) {
  IG_CUDA(cx, cudaStreamWaitEvent(ig_cuda_stream(cx), (cudaEvent_t)mark, 0));
  return IG_OK;
}

/* --- events that the host waits for --- */

extern "C" ig_status ig_exchange_mark_new_cuda(ig_ctx *cx, void **mark) {
  cudaEvent_t event;
  IG_CUDA(cx, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  *mark = event;
  return IG_OK;
}

extern "C" ig_status ig_exchange_wait_cuda(ig_ctx *cx, void *mark) {
  IG_CUDA(cx, cudaEventSynchronize((cudaEvent_t)mark));
  return IG_OK;
}

extern "C" void ig_exchange_mark_free_cuda(void *mark) {
  if (mark)
    cudaEventDestroy((cudaEvent_t)mark);
}
